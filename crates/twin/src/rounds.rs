//! Requests that are sent equally often, as those of a round are.

use std::collections::BTreeMap;

/// The key of the group of requests that are sent so often, or once more or less: a round that the capture cuts asks some of them
/// once more.
pub(super) fn near<K: Ord, V>(groups: &BTreeMap<K, V>, count: u64, key: impl Fn(u64) -> K) -> K {
    let near = (count.saturating_sub(1)..=count + 1).find(|near| groups.contains_key(&key(*near)));
    key(near.unwrap_or(count))
}
