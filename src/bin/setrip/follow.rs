//! `-follow`: a file that grows, is truncated, or gives way to another of its name.

use crate::failure::Failure;
use crate::flags::Flags;
use crate::input::{self, Watch};
use crate::report::say;
use notify::{RecursiveMode, Watcher};
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

/// How long nothing may be heard of the file before it is looked at all the same: some file systems tell nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// The file, chunk by chunk, for as long as nobody interrupts.
pub struct Follow {
    path: PathBuf,
    file: File,
    /// How much of the file has been read.
    read: u64,
    /// Whether another file has its name, and the rest of this one is being read.
    replaced: bool,
    chunk: Vec<u8>,
    wait: Wait,
    watch: Watch,
}

/// What comes next.
pub enum Piece<'a> {
    /// A chunk, and what is kept for those who look on.
    Chunk(&'a [u8], &'a Watch),
    /// The file has ended there: what comes next begins anew.
    Restart(&'a Watch),
    /// Somebody interrupted.
    Over,
}

impl Follow {
    /// Opens the file, and begins to watch it.
    pub fn open(flags: &Flags) -> Result<Follow, Failure> {
        let path = flags.file.clone().unwrap_or_default();
        Follow::try_open(path, flags.usize).map_err(Failure::Input)
    }

    fn try_open(path: PathBuf, buffer: usize) -> io::Result<Follow> {
        // First, so that nothing of what happens to the file is missed.
        let wait = Wait::start(&path)?;
        let file = File::open(&path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "only a regular file can be followed"));
        }
        Ok(Follow { path, file, read: 0, replaced: false, chunk: vec![0; buffer], wait, watch: Watch::new(None, true) })
    }

    /// What comes next. `before_wait` is called whenever it has to be waited for.
    pub fn next(&mut self, mut before_wait: impl FnMut() -> Result<(), Failure>) -> Result<Piece<'_>, Failure> {
        loop {
            if self.wait.interrupted.load(Ordering::Relaxed) {
                return Ok(Piece::Over);
            }
            match self.file.read(&mut self.chunk) {
                Ok(0) => {}
                Ok(n) => {
                    self.read += n as u64;
                    self.watch.push(&self.chunk[..n]);
                    return Ok(Piece::Chunk(&self.chunk[..n], &self.watch));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Failure::Input(error)),
            }
            // All that is there has been read.
            if let Some(how) = self.restarted().map_err(Failure::Input)? {
                say(&format!("setrip: {}: {how}\n", input::name(Some(&self.path))));
                return Ok(Piece::Restart(&self.watch));
            }
            if !self.replaced {
                before_wait()?;
                self.wait.until_something_happens();
            }
        }
    }

    /// Begins anew if the file does, and says why.
    fn restarted(&mut self) -> io::Result<Option<&'static str>> {
        let ours = self.file.metadata()?;
        if ours.len() < self.read {
            self.file.rewind()?;
            self.read = 0;
            return Ok(Some("the file was truncated"));
        }
        // Where nothing has its name at the moment, it may be about to come back.
        let Ok(named) = std::fs::metadata(&self.path) else { return Ok(None) };
        if identity(&named) == identity(&ours) {
            return Ok(None);
        }
        // Something may have been written to this one between the last look at it and its removal: once more, then.
        if !std::mem::replace(&mut self.replaced, true) {
            return Ok(None);
        }
        match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            file => (self.file, self.read) = (file?, 0),
        }
        self.replaced = false;
        Ok(if self.read == 0 { Some("another file has its name") } else { None })
    }

    /// What was read before it began anew is no longer shown.
    pub fn forget(&mut self) {
        self.watch = Watch::new(None, true);
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// Waits until something happens to the file, or somebody interrupts.
struct Wait {
    /// Something has happened: one word, however much it is.
    happened: Receiver<()>,
    interrupted: Arc<AtomicBool>,
    /// Sends as long as it lives.
    _watcher: Option<notify::RecommendedWatcher>,
}

impl Wait {
    fn start(path: &Path) -> io::Result<Wait> {
        let (sender, happened) = sync_channel(1);
        let interrupted = Arc::new(AtomicBool::new(false));
        on_interrupt(interrupted.clone(), sender.clone())?;
        let watcher = watcher(path, sender).map_err(|error| say(&format!("setrip: cannot watch the folder: {error}\n"))).ok();
        Ok(Wait { happened, interrupted, _watcher: watcher })
    }

    fn until_something_happens(&self) {
        // That it did, and that nothing did for long enough, come to the same.
        let _ = self.happened.recv_timeout(PATIENCE);
    }
}

/// Watches the folders in which the file and, if that is a link, what it leads to have their names.
fn watcher(path: &Path, happened: SyncSender<()>) -> notify::Result<notify::RecommendedWatcher> {
    let paths = [Some(path.to_owned()), std::fs::canonicalize(path).ok()];
    let names: Vec<OsString> = paths.iter().flatten().filter_map(|path| path.file_name().map(ToOwned::to_owned)).collect();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let concerns = |path: &PathBuf| path.file_name().is_some_and(|name| names.iter().any(|ours| ours == name));
        if event.map_or(true, |event| !event.kind.is_access() && (event.paths.is_empty() || event.paths.iter().any(concerns))) {
            // Where there is a word already, it says the same.
            let _ = happened.try_send(());
        }
    })?;
    for path in paths.iter().flatten() {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        watcher.watch(folder, RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}

/// The first SIGINT ends the run in an orderly way, the second one at once.
fn on_interrupt(interrupted: Arc<AtomicBool>, happened: SyncSender<()>) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT])?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            if interrupted.swap(true, Ordering::Relaxed) {
                let _ = emulate_default_handler(signal);
            }
            let _ = happened.try_send(());
        }
    })?;
    Ok(())
}
