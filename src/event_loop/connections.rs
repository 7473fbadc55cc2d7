//! The driver of many connections, without sockets and clock: both are handed in, so that a simulation can run it as a poll does.

use super::{Closed, Finished, Id, Outbox, ServeOptions, Service, Taken, Transport};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt;
use std::io::{self, ErrorKind};
use std::time::Instant;

/// The connections of a service.
///
/// Whoever runs it tells which of them may be read or written ([`ready`](Connections::ready)) and gives them turns ([`turn`](Connections::turn)).
/// Readiness is an edge: it is told once, and holds until the transport would block.
///
/// A turn moves at most [`ServeOptions::share`] bytes of a connection. Who has more to do queues up again behind the others.
pub struct Connections<S: Service, T> {
    service: S,
    options: ServeOptions,
    slots: Vec<Option<Connection<S::Connection, T>>>,
    free: Vec<usize>,
    /// Who has something to do, in the order of their turns.
    ready: VecDeque<usize>,
    /// When to look at whom again. Entries are not taken back; who comes too early is put off.
    alarms: BinaryHeap<Reverse<(Instant, usize)>>,
    /// For all connections: what is read goes there, and answers that are taken at once.
    chunk: Vec<u8>,
    spare: Vec<u8>,
    opened: u64,
    /// Until when all connections have to be closed.
    deadline: Option<Instant>,
}

/// Which way a connection has become ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readiness {
    /// There is something to read, be it an end or an error.
    pub readable: bool,
    /// Something can be written, or an error is to be had.
    pub writable: bool,
    /// The peer has ended, or failed: it is read until the end, even where a read gave less than it asked for.
    pub ended: bool,
}

struct Connection<C, T> {
    id: Id,
    transport: T,
    state: C,
    out: Outbox,
    /// What was read and the service has left.
    rest: Vec<u8>,
    stage: Stage,
    readable: bool,
    writable: bool,
    ended: bool,
    queued: bool,
    /// When a byte was moved last.
    active: Instant,
    /// The message that is not complete, and since when.
    unfinished: Option<(u64, Instant)>,
    /// The earliest entry among the alarms.
    alarm: Option<Instant>,
}

/// How far the life of a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Is read and answered.
    Open,
    /// There is no more to read; the service has still to say its last.
    Finishing { peer_ended: bool },
    /// Answers are still to be sent.
    Flushing { peer_ended: bool },
    /// We have ended; the peer is read until it ends too, and not listened to.
    Lingering { until: Instant },
}

impl<S: Service, T: Transport> Connections<S, T> {
    /// None so far.
    pub fn new(service: S, options: ServeOptions) -> Self {
        Connections {
            service,
            options,
            slots: Vec::new(),
            free: Vec::new(),
            ready: VecDeque::new(),
            alarms: BinaryHeap::new(),
            chunk: vec![0; options.chunk.max(1)],
            spare: Vec::new(),
            opened: 0,
            deadline: None,
        }
    }

    /// Takes a connection, and returns its key: a small number that no other open connection has.
    pub fn insert(&mut self, transport: T, now: Instant) -> usize {
        let id = Id(self.opened);
        self.opened += 1;
        let connection = Connection {
            id,
            transport,
            state: self.service.open(id),
            out: Outbox::new(self.options.outbox.max(1)),
            rest: Vec::new(),
            stage: Stage::Open,
            readable: true,
            writable: true,
            ended: false,
            queued: false,
            active: now,
            unfinished: None,
            alarm: None,
        };
        let key = self.free.pop().unwrap_or(self.slots.len());
        if key == self.slots.len() {
            self.slots.push(Some(connection));
        } else {
            self.slots[key] = Some(connection);
        }
        self.queue(key);
        self.watch(key, now);
        key
    }

    /// The connection of that key, if there is one, has become ready.
    pub fn ready(&mut self, key: usize, readiness: Readiness) {
        if let Some(Some(connection)) = self.slots.get_mut(key) {
            connection.readable |= readiness.readable || readiness.ended;
            connection.writable |= readiness.writable;
            connection.ended |= readiness.ended;
            self.queue(key);
        }
    }

    /// Gives a turn to each connection that is ready now, and closes those whose time is over. Whether some have more to do at once.
    pub fn turn(&mut self, now: Instant) -> bool {
        for _ in 0..self.ready.len() {
            let Some(key) = self.ready.pop_front() else { break };
            if let Some(connection) = &mut self.slots[key] {
                connection.queued = false;
                self.serve(key, now);
            }
        }
        self.expire(now);
        !self.ready.is_empty()
    }

    /// When [`turn`](Connections::turn) is to be called at the latest, though nobody is ready.
    pub fn next_alarm(&self) -> Option<Instant> {
        let alarm = self.alarms.peek().map(|Reverse((at, _))| *at);
        if self.is_empty() { None } else { alarm.into_iter().chain(self.deadline).min() }
    }

    /// Brings all connections to their end: what was received is answered, and then they are closed. Bytes are read as long as they are there
    /// or a message is not complete; at the deadline whatever is left is closed.
    pub fn stop(&mut self, now: Instant) {
        if self.deadline.is_none() {
            self.deadline = Some(now + self.options.grace);
            for key in 0..self.slots.len() {
                self.ready(key, Readiness { readable: true, writable: false, ended: false });
            }
        }
    }

    /// Whether some have more to do at once: then [`turn`](Connections::turn) should not wait.
    pub fn has_work(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Closes a connection that failed.
    pub fn fail(&mut self, key: usize, error: io::Error) {
        if key < self.slots.len() {
            self.close(key, Closed::Io(error));
        }
    }

    /// Whether it was told to stop.
    pub fn is_stopping(&self) -> bool {
        self.deadline.is_some()
    }

    /// How many connections are open.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether none is open.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether no more connections should be accepted for now.
    pub fn is_full(&self) -> bool {
        self.len() >= self.options.connections
    }

    /// How many bytes wait, read or to be written, in all connections together.
    pub fn buffered(&self) -> usize {
        self.slots.iter().flatten().map(|connection| connection.out.capacity() + connection.rest.capacity()).sum()
    }

    /// The options.
    pub fn options(&self) -> &ServeOptions {
        &self.options
    }

    /// The service.
    pub fn service(&self) -> &S {
        &self.service
    }

    /// The service.
    pub fn service_mut(&mut self) -> &mut S {
        &mut self.service
    }

    /// The transport of a connection.
    pub fn transport_mut(&mut self, key: usize) -> Option<&mut T> {
        self.slots.get_mut(key)?.as_mut().map(|connection| &mut connection.transport)
    }

    fn queue(&mut self, key: usize) {
        if let Some(connection) = &mut self.slots[key]
            && !std::mem::replace(&mut connection.queued, true)
        {
            self.ready.push_back(key);
        }
    }

    /// A turn of one connection.
    fn serve(&mut self, key: usize, now: Instant) {
        let Some(connection) = &mut self.slots[key] else { return };
        connection.out.borrow(&mut self.spare);
        let mut turn = Turn {
            options: &self.options,
            chunk: &mut self.chunk,
            now,
            left: self.options.share.max(1),
            stopping: self.deadline.is_some(),
        };
        let outcome = turn.run(&mut self.service, connection);
        connection.out.give_back(&mut self.spare);
        match outcome {
            Outcome::Waits => self.watch(key, now),
            Outcome::HasMore => {
                self.queue(key);
                self.watch(key, now);
            }
            Outcome::Closes(why) => self.close(key, why),
        }
    }

    fn close(&mut self, key: usize, why: Closed) {
        if let Some(Connection { id, state, transport, .. }) = self.slots[key].take() {
            drop(transport);
            self.free.push(key);
            self.service.closed(id, state, why);
        }
    }

    /// Notes when the connection is to be looked at again.
    fn watch(&mut self, key: usize, now: Instant) {
        let Some(connection) = &mut self.slots[key] else { return };
        connection.unfinished = match (self.service.unfinished(&connection.state), connection.unfinished) {
            (Some(message), Some((same, since))) if message == same => Some((same, since)),
            (Some(message), _) => Some((message, now)),
            (None, _) => None,
        };
        if let Some((at, _)) = connection.due(&self.options)
            && connection.alarm.is_none_or(|alarm| at < alarm)
        {
            connection.alarm = Some(at);
            self.alarms.push(Reverse((at, key)));
        }
    }

    /// Closes those whose time is over.
    fn expire(&mut self, now: Instant) {
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            for key in 0..self.slots.len() {
                let lingers = matches!(&self.slots[key], Some(Connection { stage: Stage::Lingering { .. }, .. }));
                self.close(key, if lingers { Closed::ByUs } else { Closed::Deadline });
            }
        }
        while let Some(&Reverse((at, key))) = self.alarms.peek()
            && at <= now
        {
            self.alarms.pop();
            let Some(connection) = &mut self.slots[key] else { continue };
            if connection.alarm != Some(at) {
                continue; // of an earlier connection, or superseded
            }
            connection.alarm = None;
            match connection.due(&self.options) {
                Some((due, why)) if due <= now => self.close(key, why),
                _ => self.watch(key, now),
            }
        }
    }
}

/// What became of a turn.
enum Outcome {
    /// Nothing can be done until the connection is ready again.
    Waits,
    /// The share is used up.
    HasMore,
    Closes(Closed),
}

/// What a connection has in its turn.
struct Turn<'t> {
    options: &'t ServeOptions,
    chunk: &'t mut [u8],
    now: Instant,
    /// How many bytes it may still move.
    left: usize,
    stopping: bool,
}

impl Turn<'_> {
    /// As many steps as can be made, up to the share.
    fn run<S: Service, T: Transport>(&mut self, service: &mut S, connection: &mut Connection<S::Connection, T>) -> Outcome {
        loop {
            // Answers are sent when nothing else can be done, so that many go in one call; or when the share is used up.
            let went_on = match self.step(service, connection) {
                Ok(went_on) if went_on && self.left > 0 => Ok(true),
                Ok(went_on) => self.write(connection).map(|written| went_on || written),
                closed => closed,
            };
            match went_on {
                Ok(true) if self.left > 0 => {}
                Ok(true) => return Outcome::HasMore,
                Ok(false) => return Outcome::Waits,
                Err(why) => return Outcome::Closes(why),
            }
        }
    }

    /// A step other than to send; whether there was one to make.
    fn step<S: Service, T: Transport>(&mut self, service: &mut S, connection: &mut Connection<S::Connection, T>) -> Result<bool, Closed> {
        match connection.stage {
            Stage::Open if connection.out.is_closed() => {
                connection.rest = Vec::new();
                connection.stage = Stage::Flushing { peer_ended: false };
                Ok(true)
            }
            Stage::Open if connection.out.is_full() => Ok(false),
            Stage::Open if !connection.rest.is_empty() => {
                let rest = std::mem::take(&mut connection.rest);
                let Taken(taken) = service.receive(&mut connection.state, &rest, &mut connection.out);
                connection.keep(&rest, taken)
            }
            Stage::Open if connection.readable => self.read(service, connection),
            Stage::Open if self.stopping && service.unfinished(&connection.state).is_none() => {
                connection.stage = Stage::Finishing { peer_ended: false };
                Ok(true)
            }
            Stage::Open => Ok(false),
            Stage::Finishing { .. } if connection.out.is_full() => Ok(false),
            Stage::Finishing { peer_ended } => match service.finish(&mut connection.state, &mut connection.out) {
                Finished::Yes => {
                    connection.stage = Stage::Flushing { peer_ended };
                    Ok(true)
                }
                Finished::NotYet if connection.out.is_empty() => Err(Closed::Stalled),
                Finished::NotYet => Ok(false),
            },
            Stage::Flushing { .. } if !connection.out.is_empty() => Ok(false),
            Stage::Flushing { peer_ended: true } => Err(Closed::Finished),
            Stage::Flushing { peer_ended: false } => {
                connection.stage = Stage::Lingering { until: self.now + self.options.linger };
                connection.transport.shut_down_write()?;
                Ok(true)
            }
            Stage::Lingering { .. } if connection.readable => match self.fill(connection)? {
                Some(0) => Err(Closed::ByUs),
                _ => Ok(true),
            },
            Stage::Lingering { .. } => Ok(false),
        }
    }

    fn read<S: Service, T: Transport>(&mut self, service: &mut S, connection: &mut Connection<S::Connection, T>) -> Result<bool, Closed> {
        match self.fill(connection)? {
            None => Ok(true),
            Some(0) => {
                connection.stage = Stage::Finishing { peer_ended: true };
                Ok(true)
            }
            Some(count) => {
                let chunk = &self.chunk[..count];
                let Taken(taken) = service.receive(&mut connection.state, chunk, &mut connection.out);
                connection.keep(chunk, taken)
            }
        }
    }

    /// Reads into the chunk; none where there is nothing.
    fn fill<C, T: Transport>(&mut self, connection: &mut Connection<C, T>) -> Result<Option<usize>, Closed> {
        let size = self.chunk.len().min(self.left);
        match connection.transport.read(&mut self.chunk[..size]) {
            Ok(count) => {
                self.left -= count;
                if count > 0 {
                    connection.active = self.now;
                    // It is empty now, and will say so when there is more: a call saved. But of an end it may have told already.
                    connection.readable = count == size || connection.ended;
                }
                Ok(Some(count))
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                connection.readable = false;
                Ok(None)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Sends what the peer takes; whether it took anything.
    fn write<C, T: Transport>(&mut self, connection: &mut Connection<C, T>) -> Result<bool, Closed> {
        let mut went_on = false;
        while connection.writable && !connection.out.is_empty() {
            match connection.transport.write(connection.out.bytes()) {
                Ok(0) => return Err(io::Error::from(ErrorKind::WriteZero).into()),
                Ok(count) => {
                    connection.out.advance(count);
                    connection.active = self.now;
                    self.left = self.left.saturating_sub(count);
                    went_on = true;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => connection.writable = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(went_on)
    }
}

impl From<io::Error> for Closed {
    fn from(error: io::Error) -> Closed {
        Closed::Io(error)
    }
}

impl<C, T> Connection<C, T> {
    /// Keeps what the service has left of a chunk; whether it can go on at once.
    fn keep(&mut self, chunk: &[u8], taken: usize) -> Result<bool, Closed> {
        if taken < chunk.len() && !self.out.is_closed() {
            if taken == 0 && self.out.is_empty() {
                return Err(Closed::Stalled);
            }
            self.rest = chunk[taken..].to_vec();
            return Ok(false);
        }
        Ok(true)
    }

    /// When its time is over, if nothing happens, and why.
    fn due(&self, options: &ServeOptions) -> Option<(Instant, Closed)> {
        if let Stage::Lingering { until } = self.stage {
            return Some((until, Closed::ByUs));
        }
        let idle = options.idle.map(|time| (self.active + time, Closed::Idle));
        let message = self.unfinished.zip(options.message).map(|((_, since), time)| (since + time, Closed::Unfinished));
        idle.into_iter().chain(message).min_by_key(|(at, _)| *at)
    }
}

impl<S: Service, T> fmt::Debug for Connections<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connections")
            .field("open", &(self.slots.len() - self.free.len()))
            .field("ready", &self.ready.len())
            .finish_non_exhaustive()
    }
}
