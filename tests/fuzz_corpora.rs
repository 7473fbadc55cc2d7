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

use sexp_codec::framing::Framing;
use std::fs;

/// Gives each seed of a target to its check.
fn each(target: &str, check: impl Fn(&[u8])) -> usize {
    let directory = format!("{}/fuzz/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
    let mut seeds = 0;
    for entry in fs::read_dir(&directory).unwrap() {
        let path = entry.unwrap().path();
        println!("{}", path.display());
        check(&fs::read(&path).unwrap());
        seeds += 1;
    }
    seeds
}

#[test]
fn decode_corpus() {
    assert!(each("decode", decode::check) >= 20);
}

#[test]
fn roundtrip_corpus() {
    assert!(each("roundtrip", roundtrip::check) >= 20);
}

#[test]
fn dialects_corpus() {
    assert!(each("dialects", dialects::check) >= 20);
}

#[test]
fn forms_corpus() {
    assert!(each("forms", framing::check_forms) >= 20);
}

/// Each framing has a target of its own, and seeds.
#[test]
fn framing_corpora() {
    let root = env!("CARGO_MANIFEST_DIR");
    for known in Framing::ALL {
        let target = format!("framing_{}", known.name());
        let text = fs::read_to_string(format!("{root}/fuzz/fuzz_targets/{target}.rs")).unwrap();
        assert!(text.contains(&format!("&Framing::{}, data", known.name().to_uppercase())), "{text}");
        assert!(each(&target, |data| framing::check(&known, data)) >= 8, "{target}");
    }
}
