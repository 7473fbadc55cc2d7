#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sexp_codec_fuzz::framing::check_forms(data));
