//! sfsexp, the one that is written in C, where it is installed.

use crate::Run;

#[cfg(not(has_sfsexp))]
pub const RUNS: &[Run] = &[];
#[cfg(has_sfsexp)]
pub const RUNS: &[Run] = &[Run { job: crate::Job::Read, name: "sfsexp, events (C)", run: installed::sfsexp }];

#[cfg(has_sfsexp)]
#[expect(unsafe_code, reason = "C is called")]
mod installed {
    use crate::{Count, Document, Failure, Outcome, read};
    use std::ffi::{c_char, c_int};

    unsafe extern "C" {
        fn sfsexp_count(text: *mut c_char, length: usize, result: *mut Count) -> c_int;
    }

    pub fn sfsexp(document: &Document) -> Result<Outcome, Failure> {
        // It delivers an atom when it sees what follows, and looks at the byte after the last.
        let mut text = document.text.clone().into_bytes();
        text.extend_from_slice(b"\n\0");
        read(document.text.len(), || {
            let mut count = Count::default();
            // SAFETY: the text is ours alone and of that length, with a zero byte after it; the count has the layout that C knows. Nothing
            // of them is kept after the call.
            let error = unsafe { sfsexp_count(text.as_mut_ptr().cast(), text.len() - 1, &mut count) };
            if error == 0 { Ok(count) } else { Err(format!("error {error}").into()) }
        })
    }
}
