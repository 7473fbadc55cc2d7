//! What the fuzz targets check. The drivers and the naive decoders are those of the tests.

#[path = "../../tests/harness/mod.rs"]
pub mod harness;

#[path = "../../tests/framed/mod.rs"]
pub mod framed;

pub mod decode;
pub mod dialects;
pub mod framing;
pub mod roundtrip;
