//! What a protocol has to say to the driver of many connections.

use super::Outbox;
use std::{fmt, io};

/// Which connection it is: a number that no other connection of the same driver has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u64);

/// A protocol: what is done with the bytes of each connection. See the example of the [module](super).
///
/// The driver calls it, never from two threads at once. What belongs to a connection, such as its decoder, is a value of
/// [`Connection`](Service::Connection), which the service makes and gets back in the end.
pub trait Service {
    /// What is kept for a connection.
    type Connection;

    /// A connection begins.
    fn open(&mut self, id: Id) -> Self::Connection;

    /// Bytes have come: takes them, and puts answers into the outbox.
    ///
    /// Once the outbox [is full](Outbox::is_full) the service should stop and leave the rest: it is called again with exactly the bytes that
    /// it left, when the peer has taken some. A service that leaves bytes while the outbox is empty would never be called again, and the
    /// connection is closed as [`Closed::Stalled`].
    fn receive(&mut self, connection: &mut Self::Connection, chunk: &[u8], out: &mut Outbox) -> Taken;

    /// No more bytes will come: what is unfinished is to be answered or reported. Asked again when there is room in the outbox, until it says
    /// [`Finished::Yes`]. Answers still reach the peer, who has only ceased to write.
    fn finish(&mut self, connection: &mut Self::Connection, out: &mut Outbox) -> Finished {
        let _ = (connection, out);
        Finished::Yes
    }

    /// The number of the message that has begun and is not complete, if one has: for [`ServeOptions::message_timeout`](super::ServeOptions::message_timeout),
    /// and for a shutdown that waits for it. Any number will do that changes from message to message, such as a count or an offset.
    fn unfinished(&self, connection: &Self::Connection) -> Option<u64> {
        let _ = connection;
        None
    }

    /// The connection is closed. Called once for each that was opened.
    fn closed(&mut self, id: Id, connection: Self::Connection, why: Closed) {
        let _ = (id, connection, why);
    }
}

/// How many bytes of a chunk a service has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken(pub(super) usize);

impl Taken {
    /// All of them.
    pub fn all(chunk: &[u8]) -> Taken {
        Taken(chunk.len())
    }

    /// All but the rest, which is the end of the chunk, as [`Input::remaining`](crate::nonblocking::Input::remaining) gives it.
    pub fn all_but(chunk: &[u8], rest: &[u8]) -> Taken {
        Taken(chunk.len().saturating_sub(rest.len()))
    }
}

/// Whether a service has answered all that there was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    /// All is in the outbox.
    Yes,
    /// There is more: ask again when there is room in the outbox.
    NotYet,
}

/// Why a connection was closed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Closed {
    /// The peer has ended, and got all answers.
    Finished,
    /// The service closed its outbox, or the driver was stopped; all answers have been sent.
    ByUs,
    /// Nothing was read or written for too long.
    Idle,
    /// A message was not complete in time.
    Unfinished,
    /// The driver was stopped, and the connection had not come to its end at the deadline.
    Deadline,
    /// The service left bytes though its outbox was empty.
    Stalled,
    /// The connection failed.
    Io(io::Error),
}

impl Closed {
    /// Whether something may have been lost: the connection did not come to its regular end.
    pub fn is_fault(&self) -> bool {
        !matches!(self, Closed::Finished | Closed::ByUs)
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Closed::Finished => "the peer has ended",
            Closed::ByUs => "closed",
            Closed::Idle => "nothing was read or written for too long",
            Closed::Unfinished => "a message was not complete in time",
            Closed::Deadline => "stopped before the end of the connection",
            Closed::Stalled => "the service left bytes though it could have answered",
            Closed::Io(error) => return error.fmt(f),
        })
    }
}
