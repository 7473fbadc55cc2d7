#![no_main]

use sexp_codec::framing::Framing;

libfuzzer_sys::fuzz_target!(|data: &[u8]| sexp_codec_fuzz::framing::check(&Framing::ASSUAN, data));
