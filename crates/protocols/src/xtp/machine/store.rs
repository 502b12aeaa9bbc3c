//! Retransmission store: segments sent and not yet released.

use std::collections::VecDeque;

use super::sync_number::is_after;
use crate::xtp::wire::Span;

/// Data of a packet.
#[derive(Clone, Debug)]
pub(super) struct Segment<D> {
    /// Sequence number of its first byte.
    pub seq: u64,
    pub length: u32,
    /// Sync number of its last transmission.
    pub sync: u32,
    /// Whether it was sent in FIRST.
    pub first: bool,
    pub end_of_message: bool,
    /// Whether it was retransmitted.
    pub repeated: bool,
    /// Whether the receiver has reported it in a span.
    held: bool,
    /// Whether it is lost and must be retransmitted.
    lost: bool,
    pub data: D,
}

/// Segments by sequence number.
#[derive(Clone, Debug)]
pub(super) struct Store<D> {
    segments: VecDeque<Segment<D>>,
    /// Number of segments released: the index of the front one.
    released: u64,
    /// Number of lost segments.
    lost: usize,
    /// No segment before this index is lost.
    search: u64,
}

impl<D> Segment<D> {
    pub fn new(seq: u64, length: u32, sync: u32, end_of_message: bool, data: D) -> Self {
        Segment { seq, length, sync, first: false, end_of_message, repeated: false, held: false, lost: false, data }
    }

    /// The segment of a FIRST.
    pub fn into_first(self) -> Self {
        Segment { first: true, ..self }
    }

    pub fn end(&self) -> u64 {
        self.seq + u64::from(self.length)
    }
}

impl<D> Default for Store<D> {
    fn default() -> Self {
        Store { segments: VecDeque::new(), released: 0, lost: 0, search: 0 }
    }
}

impl<D> Store<D> {
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    pub fn has_lost(&self) -> bool {
        self.lost > 0
    }

    pub fn front_mut(&mut self) -> Option<&mut Segment<D>> {
        self.segments.front_mut()
    }

    pub fn push(&mut self, segment: Segment<D>) {
        self.segments.push_back(segment);
    }

    pub fn clear(&mut self) {
        self.released += self.segments.len() as u64;
        self.segments = VecDeque::new();
        self.lost = 0;
    }

    /// Releases all segments that end at or before `received`.
    #[inline(always)]
    pub fn release(&mut self, rseq: u64) {
        while let Some(front) = self.segments.front()
            && front.end() <= rseq
        {
            self.lost -= usize::from(front.lost);
            self.segments.pop_front();
            self.released += 1;
        }
    }

    /// Marks the segments within the reported spans.
    pub fn hold(&mut self, spans: &[Span]) {
        for span in spans {
            let from = self.segments.partition_point(|segment| segment.seq < span.left);
            for segment in self.segments.range_mut(from..) {
                if segment.end() > span.right {
                    break;
                }
                self.lost -= usize::from(segment.lost);
                (segment.held, segment.lost) = (true, false);
            }
        }
    }

    /// Marks lost segments, given a report that echoes `echo` and whose spans are marked.
    ///
    /// A segment outside the spans is lost if status was requested after its last transmission, or if it was sent once
    /// and data after it, below `edge`, are in a span.
    #[inline(always)]
    pub fn mark_lost(&mut self, echo: u32, edge: u64) {
        for (index, segment) in self.segments.iter_mut().enumerate() {
            let asked_later = is_after(echo, segment.sync);
            let beyond = segment.seq >= edge;
            if !segment.repeated && !asked_later && beyond {
                return; // nothing behind was sent earlier
            }
            if !segment.held && !segment.lost && (asked_later || (!segment.repeated && !beyond)) {
                segment.lost = true;
                self.lost += 1;
                self.search = self.search.min(self.released + index as u64);
            }
        }
    }

    /// Go-back-n: if the segment at `received` was last sent before the request echoed, it and all after it are lost.
    pub fn go_back(&mut self, rseq: u64, echo: u32) {
        let from = self.segments.partition_point(|segment| segment.end() <= rseq);
        if self.segments.get(from).is_some_and(|segment| !segment.lost && is_after(echo, segment.sync)) {
            self.lose_from(from);
        }
    }

    /// Marks all segments lost.
    pub fn lose_all(&mut self) {
        self.lose_from(0);
    }

    fn lose_from(&mut self, from: usize) {
        for segment in self.segments.range_mut(from..) {
            self.lost += usize::from(!segment.lost);
            (segment.held, segment.lost) = (false, true);
        }
        self.search = self.search.min(self.released + from as u64);
    }

    /// Sequence number of the first lost segment.
    pub fn first_lost(&mut self) -> Option<u64> {
        let index = self.find_lost()?;
        Some(self.segments[index].seq)
    }

    /// Removes the loss mark of the first lost segment and returns it for retransmission.
    pub fn take_lost(&mut self) -> Option<&mut Segment<D>> {
        let index = self.find_lost()?;
        self.lost -= 1;
        if self.lost == 0 {
            self.search = u64::MAX;
        }
        let segment = &mut self.segments[index];
        (segment.lost, segment.repeated) = (false, true);
        Some(segment)
    }

    fn find_lost(&mut self) -> Option<usize> {
        if self.lost == 0 {
            return None;
        }
        let from = self.search.saturating_sub(self.released) as usize;
        let ahead = self.segments.range(from..).position(|segment| segment.lost)?;
        self.search = self.released + (from + ahead) as u64;
        Some(from + ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments of ten bytes, the k-th sent with number k, from 1.
    fn store(count: u32) -> Store<()> {
        let mut store = Store::default();
        for k in 0..count {
            store.push(Segment::new(u64::from(k) * 10, 10, k + 1, false, ()));
        }
        store
    }

    fn sent_again(store: &mut Store<()>, sync: u32) -> Vec<u64> {
        let mut places = Vec::new();
        while let Some(segment) = store.take_lost() {
            segment.sync = sync;
            places.push(segment.seq / 10);
        }
        places
    }

    #[test]
    fn only_gaps_are_sent_again_and_each_once_per_newer_echo() {
        let mut store = store(8);
        let spans = [Span { left: 20, right: 30 }, Span { left: 50, right: 70 }];
        store.hold(&spans);
        store.mark_lost(7, 70);
        assert_eq!(sent_again(&mut store, 9), [0, 1, 3, 4]);
        store.mark_lost(9, 70);
        assert_eq!(sent_again(&mut store, 10), [7], "9 went out with the gaps themselves, and after the tail");
        store.mark_lost(10, 70);
        assert_eq!(sent_again(&mut store, 11), [0, 1, 3, 4], "all but what went out with 10 itself");
    }

    #[test]
    fn a_gap_below_held_data_is_lost_even_if_nothing_was_asked_since() {
        let mut store = store(3);
        store.hold(&[Span { left: 20, right: 30 }]);
        store.mark_lost(0, 30);
        assert_eq!(sent_again(&mut store, 3), [0, 1]);
        store.mark_lost(0, 30);
        assert_eq!(sent_again(&mut store, 3), [0; 0]);
    }

    #[test]
    fn going_back_begins_at_the_reported_byte_once_per_newer_echo() {
        let mut store = store(5);
        store.go_back(20, 3);
        assert_eq!(sent_again(&mut store, 6), [0; 0], "3 is the number the missing segment itself was sent with");
        store.go_back(20, 4);
        assert_eq!(sent_again(&mut store, 6), [2, 3, 4]);
        store.go_back(20, 5);
        assert_eq!(sent_again(&mut store, 6), [0; 0]);
        store.go_back(20, 7);
        assert_eq!(sent_again(&mut store, 8), [2, 3, 4]);
    }

    #[test]
    fn released_segments_are_gone_even_if_they_were_lost() {
        let mut store = store(4);
        store.mark_lost(4, 0);
        store.release(20);
        assert_eq!(sent_again(&mut store, 9), [2]);
        store.release(40);
        assert!(store.is_empty() && !store.has_lost());
    }
}
