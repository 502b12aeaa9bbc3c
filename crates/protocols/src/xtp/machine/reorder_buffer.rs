//! Out-of-order data of a receiver, and the spans that they form.

use std::collections::VecDeque;

use crate::StreamData;
use crate::xtp::wire::Span;

/// Data after a gap.
#[derive(Clone, Debug)]
pub(super) struct Piece<D> {
    pub start: u64,
    pub end: u64,
    pub end_of_message: bool,
    pub data: D,
}

/// Sorted, disjoint pieces of data.
#[derive(Clone, Debug)]
pub(super) struct ReorderBuffer<D> {
    pieces: VecDeque<Piece<D>>,
    spans: Vec<Span>,
}

impl<D> Default for ReorderBuffer<D> {
    fn default() -> Self {
        ReorderBuffer { pieces: VecDeque::new(), spans: Vec::new() }
    }
}

impl<D: StreamData> ReorderBuffer<D> {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Number of pieces buffered.
    pub fn count(&self) -> usize {
        self.pieces.len()
    }

    /// The spans buffered, sorted; no two are adjacent.
    #[inline]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// One above the last byte buffered.
    #[inline]
    pub fn edge(&self) -> Option<u64> {
        self.spans.last().map(|span| span.right)
    }

    pub fn clear(&mut self) {
        *self = ReorderBuffer::default();
    }

    /// Inserts the part of `data` at `start` that is not buffered yet; returns whether any is new.
    pub fn insert(&mut self, start: u64, data: &D, end_of_message: bool) -> bool {
        let end = start + data.length() as u64;
        let mut index = self.pieces.partition_point(|piece| piece.end <= start);
        let (mut at, mut new) = (start, false);
        while at < end {
            let next = self.pieces.get(index).map_or(end, |piece| piece.start);
            if next <= at {
                at = self.pieces[index].end;
            } else {
                let stop = next.min(end);
                let data = data.slice((at - start) as usize, (stop - start) as usize);
                let last = end_of_message && stop == end;
                self.pieces.insert(index, Piece { start: at, end: stop, end_of_message: last, data });
                (at, new) = (stop, true);
            }
            index += 1;
        }
        if new {
            self.cover(start, end);
        }
        new
    }

    fn cover(&mut self, start: u64, end: u64) {
        let from = self.spans.partition_point(|span| span.right < start);
        let to = self.spans.partition_point(|span| span.left <= end);
        let touched = &self.spans[from..to];
        let left = touched.first().map_or(start, |span| span.left.min(start));
        let right = touched.last().map_or(end, |span| span.right.max(end));
        self.spans.splice(from..to, [Span { left, right }]);
    }

    /// Removes the first piece if it starts at or before `expected`; returns its part from `expected` on.
    pub fn take(&mut self, expected: u64) -> Option<Piece<D>> {
        while self.pieces.front()?.start <= expected {
            let piece = self.pieces.pop_front()?;
            self.uncover(piece.end);
            if piece.end <= expected {
                continue;
            }
            let known = (expected - piece.start) as usize;
            let data =
                if known == 0 { piece.data } else { piece.data.slice(known, (piece.end - piece.start) as usize) };
            return Some(Piece { start: expected, data, ..piece });
        }
        None
    }

    /// Removes the spans before `received`.
    fn uncover(&mut self, rseq: u64) {
        let gone = self.spans.partition_point(|span| span.right <= rseq);
        self.spans.drain(..gone);
        if let Some(first) = self.spans.first_mut() {
            first.left = first.left.max(rseq);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(start: u64, end: u64) -> Vec<u8> {
        (start..end).map(|at| at as u8).collect()
    }

    #[test]
    fn pieces_in_any_order_form_disjoint_spans() {
        let mut held = ReorderBuffer::default();
        assert!(held.insert(30, &bytes(30, 40), false));
        assert!(held.insert(10, &bytes(10, 20), false));
        assert_eq!(held.spans(), [Span { left: 10, right: 20 }, Span { left: 30, right: 40 }]);
        assert!(held.insert(15, &bytes(15, 35), false));
        assert_eq!(held.spans(), [Span { left: 10, right: 40 }]);
        assert!(!held.insert(12, &bytes(12, 33), false), "nothing new");
        assert_eq!(held.count(), 3);
    }

    proptest! {
        #[test]
        fn overlapping_pieces_yield_the_stream(
            ranges in prop::collection::vec((1u64..200, 1u64..30), 0..20),
            expected in 1u64..100,
        ) {
            let mut held = ReorderBuffer::default();
            let mut present = [false; 256];
            for (start, length) in &ranges {
                held.insert(*start, &bytes(*start, start + length), false);
                (*start..start + length).for_each(|at| present[at as usize] = true);
            }
            let mut at = expected;
            while let Some(piece) = held.take(at) {
                prop_assert_eq!(piece.start, at);
                prop_assert_eq!(&piece.data, &bytes(piece.start, piece.end));
                at = piece.end;
            }
            let run = (expected..256).take_while(|at| present[*at as usize]).count() as u64;
            prop_assert_eq!(at, expected + run);
            prop_assert!(held.spans().iter().all(|span| span.left > at && span.left < span.right));
            prop_assert!(held.spans().windows(2).all(|pair| pair[0].right < pair[1].left));
        }
    }
}
