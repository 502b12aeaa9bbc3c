//! Bytes on the heap, counted exactly: how much a world holds does not hang on what the system gives back.
#![allow(unsafe_code, reason = "an allocator is an unsafe trait; this one only counts around the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, counting.
pub struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Bytes in use now.
pub fn live() -> usize {
    LIVE.load(Relaxed)
}

/// Most bytes in use at once while `work` ran.
pub fn peak_during<T>(work: impl FnOnce() -> T) -> (usize, T) {
    PEAK.store(live(), Relaxed);
    let result = work();
    (PEAK.load(Relaxed), result)
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(live, Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}
