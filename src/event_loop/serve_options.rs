//! How many connections are served: limits, shares and time-outs.

use std::time::Duration;

/// Options of a driver for many connections.
///
/// ```
/// use sexp_codec::event_loop::ServeOptions;
/// use std::time::Duration;
///
/// let options = ServeOptions::default().idle_timeout(Duration::from_secs(60)).message_timeout(Duration::from_secs(10)).connections(5_000);
/// assert_eq!(options.chunk, 64 * 1024);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ServeOptions {
    /// How many bytes are read at a time, into one chunk for all connections. Of a paused connection up to that many wait in memory. 64 KiB.
    pub chunk: usize,
    /// With how many bytes of answers an [`Outbox`](super::Outbox) is full: then its peer is not read from until it has taken some. 64 KiB.
    pub outbox: usize,
    /// How many bytes, read and written, a connection may move in a turn before the next one has its turn. 128 KiB.
    pub share: usize,
    /// How many connections are open at most; others wait to be accepted. No limit.
    pub connections: usize,
    /// After what time without a byte a connection is closed. Never.
    pub idle: Option<Duration>,
    /// In what time a message must be complete that has begun. No limit. The time counts, too, in which the peer takes no answers, so that the rest
    /// of its message is not read.
    pub message: Option<Duration>,
    /// How long a peer is waited for to end, after we have: to close at once while bytes of its come in would have the system throw away
    /// answers that it has not got. 5 seconds.
    pub linger: Duration,
    /// How long a stop waits for connections to come to their end. 10 seconds.
    pub grace: Duration,
}

impl Default for ServeOptions {
    fn default() -> Self {
        ServeOptions {
            chunk: 64 * 1024,
            outbox: 64 * 1024,
            share: 128 * 1024,
            connections: usize::MAX,
            idle: None,
            message: None,
            linger: Duration::from_secs(5),
            grace: Duration::from_secs(10),
        }
    }
}

impl ServeOptions {
    /// How many bytes are read at a time, at least 1.
    pub fn chunk(mut self, bytes: usize) -> Self {
        self.chunk = bytes.max(1);
        self
    }

    /// With how many bytes an outbox is full, at least 1.
    pub fn outbox(mut self, bytes: usize) -> Self {
        self.outbox = bytes.max(1);
        self
    }

    /// How many bytes a connection may move in a turn, at least 1.
    pub fn share(mut self, bytes: usize) -> Self {
        self.share = bytes.max(1);
        self
    }

    /// How many connections are open at most.
    pub fn connections(mut self, count: usize) -> Self {
        self.connections = count;
        self
    }

    /// After what time without a byte a connection is closed.
    pub fn idle_timeout(mut self, time: Duration) -> Self {
        self.idle = Some(time);
        self
    }

    /// In what time a message must be complete that has begun.
    pub fn message_timeout(mut self, time: Duration) -> Self {
        self.message = Some(time);
        self
    }

    /// How long a peer is waited for to end, after we have.
    pub fn linger(mut self, time: Duration) -> Self {
        self.linger = time;
        self
    }

    /// How long a stop waits for connections to come to their end.
    pub fn grace(mut self, time: Duration) -> Self {
        self.grace = time;
        self
    }
}
