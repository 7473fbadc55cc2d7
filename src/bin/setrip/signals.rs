//! Leaves a shared stdin or stdout as it was, also when a signal ends the tool.

use rustix::fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// To be called before the event loop makes stdin or stdout non-blocking: on SIGHUP, SIGINT and SIGTERM, makes what blocks now block
/// again, and then lets the signal do what it does.
///
/// A handler may do next to nothing, so a thread waits for the signals. It is not started where there is nothing to put back.
pub fn restore_on_signals(stdin: bool, stdout: bool) -> io::Result<()> {
    let mut blocking = Vec::new();
    if stdin {
        blocking.extend(if_blocking(io::stdin())?);
    }
    if stdout {
        blocking.extend(if_blocking(io::stdout())?);
    }
    // What was ignored before (by nohup, say) stays ignored.
    let heeded: Vec<i32> = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal)).collect();
    if blocking.is_empty() || heeded.is_empty() {
        return Ok(());
    }
    let mut signals = Signals::new(heeded)?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            for fd in &blocking {
                if let Ok(flags) = fcntl_getfl(fd) {
                    let _ = fcntl_setfl(fd, flags - OFlags::NONBLOCK);
                }
            }
            let _ = emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

/// A copy of the descriptor, where the event loop will change its flags.
fn if_blocking(fd: impl AsFd) -> io::Result<Option<OwnedFd>> {
    let regular = FileType::from_raw_mode(fstat(&fd)?.st_mode).is_file();
    let blocks = !fcntl_getfl(&fd)?.contains(OFlags::NONBLOCK);
    if blocks && !regular { fd.as_fd().try_clone_to_owned().map(Some) } else { Ok(None) }
}

/// Whether the signal is ignored; where the system does not tell, it is not.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
    mask.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
