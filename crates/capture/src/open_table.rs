//! A bounded table of open entries: when it is full, the least recently used entry is evicted.

use std::hash::Hash;

use foldhash::fast::FixedState;
use indexmap::IndexMap;

/// No entry.
const NONE: u32 = u32::MAX;

/// Open entries by their key, in the order in which they were last used.
#[derive(Clone, Debug)]
pub struct OpenTable<K, V> {
    index: IndexMap<K, u32, FixedState>,
    slots: Vec<Slot<K, V>>,
    /// Head of the list of free slots.
    free: u32,
    oldest: u32,
    newest: u32,
    limit: usize,
}

#[derive(Clone, Debug)]
struct Slot<K, V> {
    entry: Option<(K, V)>,
    older: u32,
    /// The next newer entry; of a free slot the next free one.
    newer: u32,
}

impl<K: Copy + Eq + Hash, V> OpenTable<K, V> {
    /// An empty table of at most `limit` entries, at least one.
    pub fn new(limit: usize) -> Self {
        let index = IndexMap::with_hasher(FixedState::default());
        OpenTable { index, slots: Vec::new(), free: NONE, oldest: NONE, newest: NONE, limit: limit.max(1) }
    }

    /// The entry of a key, which becomes the one used last.
    pub fn use_entry(&mut self, key: &K) -> Option<&mut V> {
        let slot = *self.index.get(key)?;
        if slot != self.newest {
            self.unlink(slot);
            self.link(slot);
        }
        self.slots[slot as usize].entry.as_mut().map(|(_, value)| value)
    }

    /// The entry of a key.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let slot = *self.index.get(key)?;
        self.slots[slot as usize].entry.as_mut().map(|(_, value)| value)
    }

    /// Adds an entry whose key is new; returns the one that made room for it.
    pub fn insert(&mut self, key: K, value: V) -> Option<(K, V)> {
        let evicted = if self.index.len() >= self.limit { self.remove_oldest() } else { None };
        let slot = if self.free == NONE {
            self.slots.push(Slot { entry: None, older: NONE, newer: NONE });
            (self.slots.len() - 1) as u32
        } else {
            let slot = self.free;
            self.free = self.slots[slot as usize].newer;
            slot
        };
        self.slots[slot as usize].entry = Some((key, value));
        self.link(slot);
        self.index.insert(key, slot);
        evicted
    }

    /// Removes the entry of a key.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let slot = self.index.swap_remove(key)?;
        self.unlink(slot);
        let removed = self.slots[slot as usize].entry.take();
        self.slots[slot as usize].newer = self.free;
        self.free = slot;
        removed.map(|(_, value)| value)
    }

    /// The entry that was used least recently.
    pub fn oldest(&self) -> Option<(&K, &V)> {
        let slot = self.slots.get(self.oldest as usize)?;
        slot.entry.as_ref().map(|(key, value)| (key, value))
    }

    /// Removes the entry that was used least recently.
    pub fn remove_oldest(&mut self) -> Option<(K, V)> {
        let key = *self.oldest()?.0;
        self.remove(&key).map(|value| (key, value))
    }

    /// Appends a slot to the list as the one used last.
    fn link(&mut self, slot: u32) {
        let newest = self.newest;
        let linked = &mut self.slots[slot as usize];
        (linked.older, linked.newer) = (newest, NONE);
        match self.slots.get_mut(newest as usize) {
            Some(newest) => newest.newer = slot,
            None => self.oldest = slot,
        }
        self.newest = slot;
    }

    fn unlink(&mut self, slot: u32) {
        let Slot { older, newer, .. } = self.slots[slot as usize];
        match self.slots.get_mut(older as usize) {
            Some(older) => older.newer = newer,
            None => self.oldest = newer,
        }
        match self.slots.get_mut(newer as usize) {
            Some(newer) => newer.older = older,
            None => self.newest = older,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn beyond_the_limit_the_entry_used_least_recently_makes_room() {
        let mut table = OpenTable::new(2);
        assert_eq!(table.insert("a", 1), None);
        assert_eq!(table.insert("b", 2), None);
        assert_eq!(table.use_entry(&"a"), Some(&mut 1));
        assert_eq!(table.insert("c", 3), Some(("b", 2)));
        assert_eq!(table.oldest(), Some((&"a", &1)));
        assert_eq!(table.remove(&"a"), Some(1));
        assert_eq!(table.insert("d", 4), None);
        assert_eq!(table.remove_oldest(), Some(("c", 3)));
        assert_eq!(table.remove_oldest(), Some(("d", 4)));
        assert_eq!(table.remove_oldest(), None);
    }

    proptest! {
        #[test]
        fn it_does_what_a_list_in_order_of_use_does(steps in proptest::collection::vec((0..4_u8, 0..6_u8), 0..200)) {
            let mut table = OpenTable::new(4);
            let mut list: Vec<(u8, usize)> = Vec::new();
            for (step, (action, key)) in steps.into_iter().enumerate() {
                let place = list.iter().position(|(known, _)| *known == key);
                match action {
                    0 | 1 if place.is_none() => {
                        let evicted = (list.len() == 4).then(|| list.remove(0));
                        list.push((key, step));
                        prop_assert_eq!(table.insert(key, step), evicted);
                    }
                    0 | 1 => {
                        let entry = place.map(|place| list.remove(place));
                        list.extend(entry);
                        prop_assert_eq!(table.use_entry(&key).copied(), entry.map(|(_, value)| value));
                    }
                    2 => prop_assert_eq!(table.remove(&key), place.map(|place| list.remove(place).1)),
                    _ => prop_assert_eq!(table.get_mut(&key).copied(), place.map(|place| list[place].1)),
                }
                prop_assert_eq!(table.oldest().map(|(key, value)| (*key, *value)), list.first().copied());
            }
        }
    }
}
