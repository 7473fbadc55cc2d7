//! What the fuzz targets check, on their committed corpora: so that these stay sound, and what was found once stays found.

mod framed;
mod harness;

#[path = "../fuzz/src/decode.rs"]
mod decode;
#[path = "../fuzz/src/dialects.rs"]
mod dialects;
#[path = "../fuzz/src/framing.rs"]
mod framing;
#[path = "../fuzz/src/roundtrip.rs"]
mod roundtrip;

use std::fs;

/// Gives each seed of a target to its check.
fn each(target: &str, check: fn(&[u8])) {
    let directory = format!("{}/fuzz/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
    let mut seeds = 0;
    for entry in fs::read_dir(&directory).unwrap() {
        let path = entry.unwrap().path();
        println!("{}", path.display());
        check(&fs::read(&path).unwrap());
        seeds += 1;
    }
    assert!(seeds >= 20, "{directory}: {seeds} seeds");
}

#[test]
fn decode_corpus() {
    each("decode", decode::check);
}

#[test]
fn roundtrip_corpus() {
    each("roundtrip", roundtrip::check);
}

#[test]
fn dialects_corpus() {
    each("dialects", dialects::check);
}

#[test]
fn framing_corpus() {
    each("framing", framing::check);
}

#[test]
fn frames_corpus() {
    each("frames", framing::check_frames);
}

#[test]
fn forms_corpus() {
    each("forms", framing::check_forms);
}
