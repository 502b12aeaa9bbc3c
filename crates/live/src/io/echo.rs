//! Takes a host's own octets out of what it receives: some adapters of two-wire buses receive what they send.

/// The octets that were sent and may come back.
#[derive(Clone, Debug, Default)]
pub struct Echo {
    sent: Vec<u8>,
    /// How many of them have come back, at the beginning of what was received since.
    returned: usize,
}

impl Echo {
    /// These octets leave now: what is received next may be their echo.
    pub fn sent(&mut self, octets: &[u8]) {
        self.sent.clear();
        self.sent.extend_from_slice(octets);
        self.returned = 0;
    }

    /// Appends to `taken` the octets of a block that are not an echo. Those that agree with what was sent are kept back until it
    /// is known whether all of it returns.
    pub fn filter(&mut self, block: &[u8], taken: &mut Vec<u8>) {
        for octet in block {
            if self.sent.is_empty() {
                taken.push(*octet);
            } else if self.sent[self.returned] == *octet {
                self.returned += 1;
                if self.returned == self.sent.len() {
                    self.sent.clear();
                }
            } else {
                taken.extend_from_slice(&self.sent[..self.returned]);
                taken.push(*octet);
                self.sent.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filtered(sent: &[u8], blocks: &[&[u8]]) -> Vec<u8> {
        let (mut echo, mut taken) = (Echo::default(), Vec::new());
        echo.sent(sent);
        blocks.iter().for_each(|block| echo.filter(block, &mut taken));
        taken
    }

    #[test]
    fn what_was_sent_is_taken_out_once_and_anything_else_is_left() {
        let frame = [0x55, 0xff, 1, 6];
        assert_eq!(filtered(&frame, &[&frame, &[0x55, 0xff, 2, 5]]), [0x55, 0xff, 2, 5]);
        assert_eq!(filtered(&frame, &[&[0x55, 0xff], &[1, 6, 7]]), [7]);
        assert_eq!(
            filtered(&frame, &[&[0x55], &[0xff, 2, 5]]),
            [0x55, 0xff, 2, 5],
            "an answer begins like the request"
        );
        assert_eq!(filtered(&frame, &[&frame, &frame]), frame, "once");
        assert_eq!(filtered(&[], &[&frame]), frame);
    }

    proptest! {
        #[test]
        fn an_echo_leaves_the_rest_in_any_blocks(
            sent in prop::collection::vec(any::<u8>(), 1..10),
            rest in prop::collection::vec(any::<u8>(), 0..10),
            size in 1_usize..8,
        ) {
            let received = [&sent[..], &rest].concat();
            let blocks: Vec<&[u8]> = received.chunks(size).collect();
            prop_assert_eq!(filtered(&sent, &blocks), rest);
        }
    }
}
