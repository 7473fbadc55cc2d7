//! The allocator of the tool: the system's, counted.
//!
//! The only unsafe code of the tool: an allocator cannot be written without it.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static CALLS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

struct Counting;

fn allocated(bytes: usize) {
    CALLS.fetch_add(1, Relaxed);
    BYTES.fetch_add(bytes as u64, Relaxed);
    let live = LIVE.fetch_add(bytes as u64, Relaxed) + bytes as u64;
    PEAK.fetch_max(live, Relaxed);
}

fn freed(bytes: usize) {
    LIVE.fetch_sub(bytes as u64, Relaxed);
}

// SAFETY: every call is handed on to the system's allocator as it came; only numbers are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        allocated(layout.size());
        // SAFETY: what the caller promises is what the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        allocated(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        freed(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        freed(layout.size());
        allocated(size);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What was allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocations {
    /// How many calls to the allocator.
    pub calls: u64,
    /// How many bytes they asked for.
    pub bytes: u64,
}

impl Allocations {
    /// Since the start of the program.
    pub fn so_far() -> Allocations {
        Allocations { calls: CALLS.load(Relaxed), bytes: BYTES.load(Relaxed) }
    }

    /// Since then.
    pub fn since(then: Allocations) -> Allocations {
        let now = Allocations::so_far();
        Allocations { calls: now.calls - then.calls, bytes: now.bytes - then.bytes }
    }
}

/// How many bytes are allocated now.
pub fn live() -> u64 {
    LIVE.load(Relaxed)
}

/// How many bytes `run` had allocated at most at one time, beyond what was allocated before it.
pub fn peak_of<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = run();
    (result, PEAK.load(Relaxed) - before)
}

impl std::ops::AddAssign for Allocations {
    fn add_assign(&mut self, other: Allocations) {
        self.calls += other.calls;
        self.bytes += other.bytes;
    }
}
