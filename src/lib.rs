//! A streaming codec for s-expressions, in every dialect that people really use.
//!
//! It never blocks, never allocates per step and never reads a byte twice. The road of the data:
//!
//! ```text
//! bytes ─▶ scan ─▶ decode ─▶ Lexeme ─▶ nonblocking ─▶ { blocking · event_loop }
//!            ▲       ▲
//!            └ syntax┘         encode: the same road backwards, with the same syntax
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

#[cfg(feature = "std")]
pub mod blocking;
#[cfg(feature = "std")]
mod blocking_encode;
mod decode;
mod discard;
mod encode;
mod error;
#[cfg(all(feature = "mio", unix))]
pub mod event_loop;
mod lexeme;
mod nesting;
pub mod nonblocking;
mod options;
mod place;
mod scan;
mod syntax;
mod transport;

pub use encode::{EncodeError, EncodeOptions, Layout};
pub use error::{Error, ErrorKind};
pub use lexeme::{Fragment, Kind, Lexeme, Position, Span};
pub use options::Options;
pub use syntax::{Builder, Continuation, Number, Quote, Syntax, UnknownEscape};
