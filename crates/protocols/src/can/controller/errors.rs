//! Error counters and the states that follow from them (ISO 11898-1, 12.1; CAN 2.0, part B, 7 and 8).

/// Sequences of recessive bits after which a node that is bus off takes part again.
pub const RECOVERY: u64 = 128;
/// Recessive bits of such a sequence.
pub const RECESSIVE_BITS: u64 = 11;

/// Counters above this make a node error passive.
const PASSIVE: u16 = 127;
/// A transmit error counter above this makes it bus off.
const BUS_OFF: u16 = 255;
/// Where the receive error counter goes with a good frame when it is above [`PASSIVE`]: the standard says 119 to 127.
const PASSIVE_RECEIVED: u16 = 119;

/// What a node may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorState {
    /// It destroys what it finds wrong by an active error flag.
    #[default]
    Active,
    /// Its error flags are recessive, and it waits after each transmission.
    Passive,
    /// It neither sends nor acknowledges.
    BusOff,
}

/// The transmit and receive error counters of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorCounters {
    transmit: u16,
    receive: u16,
    off: bool,
}

impl ErrorCounters {
    /// Transmit error counter (TEC).
    pub const fn transmit(self) -> u16 {
        self.transmit
    }

    /// Receive error counter (REC).
    pub const fn receive(self) -> u16 {
        self.receive
    }

    /// The state.
    pub const fn state(self) -> ErrorState {
        match self {
            ErrorCounters { off: true, .. } => ErrorState::BusOff,
            ErrorCounters { transmit: ..=PASSIVE, receive: ..=PASSIVE, .. } => ErrorState::Active,
            _ => ErrorState::Passive,
        }
    }

    /// A frame was sent.
    #[inline]
    pub fn sent(&mut self) {
        self.transmit = self.transmit.saturating_sub(1);
    }

    /// A frame was received.
    #[inline]
    pub fn received(&mut self) {
        self.receive = if self.receive > PASSIVE { PASSIVE_RECEIVED } else { self.receive.saturating_sub(1) };
    }

    /// A transmission failed; the state after it.
    pub fn transmit_error(&mut self) -> ErrorState {
        self.transmit += 8;
        self.off |= self.transmit > BUS_OFF;
        self.state()
    }

    /// No node acknowledged: one that is error passive and sees no dominant bit counts no further, so that one that is alone
    /// never goes bus off.
    pub fn not_acknowledged(&mut self) -> ErrorState {
        match self.state() {
            ErrorState::Active => self.transmit_error(),
            state => state,
        }
    }

    /// A frame was received with an error; `is_first` of the node whose flag was the first.
    pub fn receive_error(&mut self, is_first: bool) -> ErrorState {
        // more than this no counter holds that only says that it is passive
        self.receive = (self.receive + if is_first { 8 } else { 1 }).min(BUS_OFF);
        self.state()
    }

    /// The bus has been recessive for long enough, or the controller is reset.
    pub fn recover(&mut self) {
        *self = ErrorCounters::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_failed_transmissions_make_a_node_passive_and_thirty_two_bus_off() {
        let mut counters = ErrorCounters::default();
        let states: Vec<ErrorState> = (0..32).map(|_| counters.transmit_error()).collect();
        assert_eq!(states.iter().position(|state| *state == ErrorState::Passive), Some(15), "at 128");
        assert_eq!(states.iter().position(|state| *state == ErrorState::BusOff), Some(31), "at 256");
        counters.recover();
        assert_eq!((counters.transmit(), counters.state()), (0, ErrorState::Active));
    }

    #[test]
    fn eight_good_frames_make_up_for_one_error() {
        let mut counters = ErrorCounters::default();
        counters.transmit_error();
        (0..7).for_each(|_| counters.sent());
        assert_eq!(counters.transmit(), 1);
        (0..2).for_each(|_| counters.sent());
        assert_eq!(counters.transmit(), 0);
    }

    #[test]
    fn a_node_that_is_alone_becomes_passive_and_stays_so() {
        let mut counters = ErrorCounters::default();
        for attempt in 1..=1000u16 {
            counters.not_acknowledged();
            assert_eq!(counters.transmit(), (8 * attempt).min(128));
        }
        assert_eq!(counters.state(), ErrorState::Passive);
    }

    #[test]
    fn a_passive_receiver_is_active_after_one_good_frame() {
        let mut counters = ErrorCounters::default();
        (0..200).for_each(|_| _ = counters.receive_error(false));
        assert_eq!((counters.receive(), counters.state()), (200, ErrorState::Passive));
        counters.received();
        assert_eq!((counters.receive(), counters.state()), (119, ErrorState::Active));
        counters.receive_error(true);
        assert_eq!(counters.receive(), 127);
    }
}
