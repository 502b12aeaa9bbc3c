//! Proportional rate reduction (PRR, RFC 9937): how much may be in flight while cwnd falls to ssthresh.

/// State of proportional rate reduction (RFC 9937, 6), octets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prr {
    /// RecoverFS: flight size when the recovery began.
    recover_fs: u64,
    /// Delivered, and sent, since then.
    delivered: u64,
    out: u64,
}

impl Prr {
    /// A reduction begins with `flight_size` octets in flight.
    pub fn new(flight_size: u64) -> Self {
        Prr { recover_fs: flight_size, ..Prr::default() }
    }

    /// `octets` were sent.
    pub fn sent(&mut self, octets: u64) {
        self.out += octets;
    }

    /// cwnd after an acknowledgement of `delivered` octets with `pipe` in flight; `is_safe` if it shows no further loss and
    /// acknowledges new data.
    pub fn cwnd(&mut self, delivered: u64, pipe: u64, ssthresh: u64, smss: u64, is_safe: bool) -> u64 {
        self.delivered += delivered;
        let mut send = if pipe > ssthresh {
            (self.delivered * ssthresh).div_ceil(self.recover_fs.max(1)).saturating_sub(self.out)
        } else {
            let conserved = self.delivered.saturating_sub(self.out).max(delivered);
            (conserved + if is_safe { smss } else { 0 }).min(ssthresh - pipe)
        };
        if self.out == 0 {
            send = send.max(smss); // the fast retransmission
        }
        pipe + send
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments of 1000 octets that are sent in answer to each of `arrivals` acknowledgements of one segment, of `flight` in flight
    /// of which the first `lost` are lost.
    fn answers(flight: u64, lost: u64, arrivals: usize, is_safe: bool) -> Vec<u64> {
        let mut prr = Prr::new(1000 * flight);
        let mut pipe = 1000 * (flight - lost);
        let answer = |_| {
            pipe -= 1000;
            let send = (prr.cwnd(1000, pipe, 1000 * flight / 2, 1000, is_safe) - pipe) / 1000;
            prr.sent(1000 * send);
            pipe += 1000 * send;
            send
        };
        (0..arrivals).map(answer).collect()
    }

    #[test]
    fn one_segment_leaves_for_two_that_arrive_while_more_is_in_flight_than_ssthresh() {
        // the first is the fast retransmission; then half a segment more for each
        assert_eq!(answers(20, 1, 8, true), [1, 0, 0, 1, 0, 1, 0, 1]);
    }

    #[test]
    fn after_many_losses_a_segment_leaves_for_each_that_arrives_and_one_more_while_none_is_lost_further() {
        assert_eq!(answers(20, 15, 3, false), [1, 1, 1]);
        assert_eq!(answers(20, 15, 3, true), [2, 2, 2]);
    }
}
