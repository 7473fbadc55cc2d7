//! A streaming codec for s-expressions: bytes to lexemes and back, without ever waiting.
//!
//! ```text
//! bytes ─▶ scan ─▶ decode ─▶ Lexeme ─▶ nonblocking ─▶ { blocking · event_loop · async_io · framing · forms }
//!            ▲       ▲
//!            └ Syntax┘         encode: the same road backwards, with the same syntax
//! ```
//!
//! The client of [`nonblocking`] owns its input and output: it feeds chunks and gives windows, and is told when another is needed.
//! The other drivers are thin loops over it. What a dialect means is data: a [`Syntax`].
//!
//! ```
//! use sexp_codec::nonblocking::{Decode, Decoder};
//! use sexp_codec::{Lexeme, Syntax};
//!
//! let mut decoder = Decoder::new(&Syntax::SEXPLIB);
//! let mut input = decoder.feed(b"(a \"b");
//! assert!(matches!(input.decode(), Decode::Lexeme(lexeme) if lexeme == Lexeme::open()));
//! assert!(matches!(input.decode(), Decode::Lexeme(lexeme) if lexeme == Lexeme::bare(b"a")));
//! assert!(matches!(input.decode(), Decode::Await));
//! let mut input = decoder.feed(b" c\")");
//! assert!(matches!(input.decode(), Decode::Lexeme(lexeme) if lexeme == Lexeme::string(b"b c")));
//! assert!(matches!(input.decode(), Decode::Lexeme(lexeme) if lexeme == Lexeme::close()));
//! assert!(matches!(decoder.finish().decode(), Decode::End));
//! ```
//!
//! # Promises
//!
//! * A lexeme is delivered by the step that sees its last byte; a bare atom by the step that sees the byte after it.
//! * However the input is cut into chunks, lexemes, values, positions and errors are the same.
//! * No step allocates, but to make room for an atom larger than any before it that was cut, or has to be decoded.
//! * Time is linear in the input. Memory grows to the largest atom at most, or not even that with [`Options::fragments`]; depth costs no stack.
//! * An [`Error`] says what is wrong and where, and consumes something. The next step goes on after it; every input comes to its end.
//! * What the encoder wrote reads back as the same lexemes; what it cannot write so it refuses, and is as it was.
//!
//! # Features
//!
//! * `std` (default): [`blocking`], and the choice of the vector kernel at run time. Without it the crate needs `alloc` only.
//! * `mio`: the event-loop driver, on Unix.
//! * `tokio-util`: codecs for tokio's framed streams.
//! * `futures-io`, `tokio`: the async drivers [`async_futures`] and [`async_tokio`].
//! * `cli`: the tool `setrip`.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

#[cfg(any(feature = "futures-io", feature = "tokio"))]
mod async_encode;
#[cfg(feature = "futures-io")]
pub mod async_futures;
#[cfg(any(feature = "futures-io", feature = "tokio"))]
pub mod async_io;
#[cfg(feature = "tokio")]
pub mod async_tokio;
#[cfg(feature = "std")]
pub mod blocking;
#[cfg(feature = "std")]
mod blocking_encode;
mod convert;
mod decode;
mod discard;
mod encode;
mod error;
#[cfg(all(feature = "mio", unix))]
pub mod event_loop;
pub mod forms;
pub mod framing;
mod lexeme;
mod nesting;
pub mod nonblocking;
mod options;
mod place;
mod scan;
mod syntax;
#[cfg(feature = "tokio-util")]
pub mod tokio_codec;
mod transport;

pub use convert::{ConvertError, ConvertErrorKind, Converted, Converter};
pub use encode::{EncodeError, EncodeOptions, Layout};
pub use error::{Error, ErrorKind};
pub use lexeme::{Fragment, Kind, Lexeme, Position, Span};
pub use options::Options;
pub use syntax::{Builder, Characters, Code, Continuation, Habit, Lead, Meaning, Number, Quote, Syntax, UnknownEscape};

/// The examples of the README are tests. One of them takes tokio.
#[cfg(all(doctest, feature = "tokio"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// So are those of the guide.
#[cfg(doctest)]
#[doc = include_str!("../docs/protocol-library.md")]
struct ProtocolLibrary;
