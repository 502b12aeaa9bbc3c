//! Asking for memory early.

use prefetch_index::prefetch_index;

/// Asks the processor to have the line of memory where `value` begins in its cache soon, and waits for nothing.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    prefetch_index(std::slice::from_ref(value), 0);
}
