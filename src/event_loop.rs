//! The event-loop driver: pipes, sockets and terminals are read and written without blocking, and waited for in a poll of [`mio`].
//!
//! | what | is |
//! |---|---|
//! | [`Endpoint`] | a file descriptor that never blocks; can be registered with a [`mio::Poll`] of one's own, beside many others |
//! | [`Source`] | an endpoint to read from that waits in a poll of its own while there is nothing to read |
//! | [`Sink`] | an endpoint to write to that waits in a poll of its own while nothing can be written |
//! | [`Decoder`] | decodes what a source gives; used as the [blocking one](crate::blocking::Decoder) is |
//! | [`Server`] | a [`Service`] for many connections on one thread: accepts, reads, answers, and never waits for one of them |
//! | [`Connections`] | the same without sockets and clock: for a loop of one's own, and for simulations |
//!
//! A regular file is always ready: epoll refuses it, so it is read and written at once. Calls that a signal interrupts are resumed.
//! Reads go straight into the caller's chunk.
//!
//! # Many connections
//!
//! The service keeps what belongs to a connection, a decoder and an encoder mostly; the driver keeps the bytes that wait.
//!
//! ```
//! use sexp_codec::event_loop::{Closed, Id, Listener, Outbox, ServeOptions, Server, Service, Taken};
//! use sexp_codec::nonblocking::{Decode, Decoder, Encoder};
//! use sexp_codec::{EncodeOptions, Kind, Layout, Lexeme, Syntax};
//! use std::io::{Read, Write};
//!
//! /// Answers each form with the number of its atoms.
//! struct Count;
//!
//! struct Counted {
//!     decoder: Decoder,
//!     encoder: Encoder,
//!     atoms: u32,
//! }
//!
//! impl Service for Count {
//!     type Connection = Counted;
//!
//!     fn open(&mut self, _: Id) -> Counted {
//!         let lines = EncodeOptions::default().layout(Layout::Lines);
//!         let encoder = Encoder::with_options(&Syntax::SEXPLIB, lines);
//!         Counted { decoder: Decoder::new(&Syntax::SEXPLIB), encoder, atoms: 0 }
//!     }
//!
//!     fn receive(&mut self, connection: &mut Counted, chunk: &[u8], out: &mut Outbox) -> Taken {
//!         let Counted { decoder, encoder, atoms } = connection;
//!         let mut input = decoder.feed(chunk);
//!         // While the peer takes no answers, stop here: the driver comes back with the rest.
//!         while !out.is_full() {
//!             match input.decode() {
//!                 Decode::Lexeme(lexeme) if lexeme.kind == Kind::Close => {
//!                     if input.depth() == 0 {
//!                         out.encode(encoder, Lexeme::bare(atoms.to_string().as_bytes())).expect("a number is an atom");
//!                         *atoms = 0;
//!                     }
//!                 }
//!                 Decode::Lexeme(lexeme) => *atoms += u32::from(lexeme.kind.is_atom()),
//!                 Decode::Error(_) => {
//!                     out.close(); // after what is answered already
//!                     return Taken::all(chunk);
//!                 }
//!                 _ => return Taken::all(chunk),
//!             }
//!         }
//!         Taken::all_but(chunk, input.remaining())
//!     }
//!
//!     fn closed(&mut self, _: Id, _: Counted, why: Closed) {
//!         if why.is_fault() {
//!             eprintln!("{why}");
//!         }
//!     }
//! }
//!
//! let mut server = Server::new(Count, ServeOptions::default())?;
//! let address = server.listen(Listener::tcp("127.0.0.1:0")?)?;
//! let handle = server.handle();
//! let thread = std::thread::spawn(move || server.run());
//!
//! let mut client = std::net::TcpStream::connect(address.tcp().expect("a TCP address"))?;
//! client.write_all(b"(a b (c)) (d)")?;
//! client.shutdown(std::net::Shutdown::Write)?;
//! let mut answers = String::new();
//! client.read_to_string(&mut answers)?;
//! assert_eq!(answers, "3\n1\n");
//!
//! handle.stop()?; // loses nothing that was read
//! thread.join().unwrap()?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod connections;
mod decoder;
mod endpoint;
mod outbox;
mod serve_options;
mod server;
mod service;
mod stream;
mod waiting;

pub use crate::blocking::{Error, Item};
pub use connections::{Connections, Readiness};
pub use decoder::Decoder;
pub use endpoint::Endpoint;
pub use outbox::Outbox;
pub use serve_options::ServeOptions;
pub use server::{Handle, Server};
pub use service::{Closed, Finished, Id, Service, Taken};
pub use stream::{Address, Listener, Stream, Transport};
pub use waiting::{Sink, Source};
