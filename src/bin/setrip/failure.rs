//! What ends a run before its time.

use crate::way::Refusal;
use std::{error, fmt, io};

/// The run cannot go on.
#[derive(Debug)]
pub enum Failure {
    /// The input could not be opened or read.
    Input(io::Error),
    /// The output could not be written.
    Output(io::Error),
    /// The network failed.
    Network(io::Error),
    /// Random data cannot be written in that syntax.
    Data(Refusal),
}

impl Failure {
    /// Whether the reader of the output has gone away, which is no error.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// What to say; `name` is that of the input.
    pub fn message(&self, name: &str) -> String {
        match self {
            Failure::Input(_) => format!("{name}: {self}"),
            _ => self.to_string(),
        }
    }

    /// What an operation on the input said; it may carry a failure of the output that was flushed before the input was waited for.
    pub fn of_input(error: io::Error) -> Failure {
        match error.downcast::<Failure>() {
            Ok(failure) => failure,
            Err(error) => Failure::Input(error),
        }
    }
}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> io::Error {
        io::Error::other(failure)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(error) => write!(f, "cannot read: {error}"),
            Failure::Output(error) => write!(f, "cannot write: {error}"),
            Failure::Network(error) => write!(f, "network: {error}"),
            Failure::Data(error) => write!(f, "cannot write random data: {error}"),
        }
    }
}

impl error::Error for Failure {}
