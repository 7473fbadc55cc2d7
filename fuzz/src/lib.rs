//! What the fuzz targets check. The drivers and the naive decoder are those of the tests.

#[path = "../../tests/harness/mod.rs"]
pub mod harness;

pub mod decode;
pub mod dialects;
pub mod roundtrip;
