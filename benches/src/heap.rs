//! Bytes on the heap, counted exactly: how much a world holds does not hang on what the system gives back. Each thread counts its own, since
//! a counter that several share would cost them more than the allocation.
#![allow(unsafe_code, reason = "an allocator is an unsafe trait; this one only counts around the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, counting.
pub struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// Bytes that this thread has allocated, less those that it has freed.
pub fn live() -> isize {
    LIVE.get()
}

/// Most of them at once while `work` ran.
pub fn peak_during<T>(work: impl FnOnce() -> T) -> (isize, T) {
    PEAK.set(live());
    let result = work();
    (PEAK.get(), result)
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.get() + layout.size() as isize;
        LIVE.set(live);
        PEAK.set(PEAK.get().max(live));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get() - layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}
