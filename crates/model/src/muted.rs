//! Sources that events of a scenario have silenced, and when the others send next.
//!
//! A source may be silent for several reasons at once and begins anew when the last is gone. An event of the queue that was scheduled for
//! it before is void: the queue takes none back.

use sojourn_core::Time;

/// Why a source is silent: its station is off.
pub const OFF: u8 = 1;
/// Its flow is stopped.
pub const STOPPED: u8 = 2;

/// By source, why it is silent and when its next message is due.
#[derive(Clone, Debug)]
pub struct Muted {
    reasons: Vec<u8>,
    due: Vec<Time>,
}

impl Muted {
    /// Sources that all send.
    pub fn new(sources: usize) -> Muted {
        Muted { reasons: vec![0; sources], due: vec![Time::NEVER; sources] }
    }

    /// The next message of a source is due at `at`, in place of any before; false where the source is silent.
    pub fn schedule(&mut self, at: Time, source: u32) -> bool {
        let sends = self.reasons[source as usize] == 0;
        if sends {
            self.due[source as usize] = at;
        }
        sends
    }

    /// The event of a source is due; whether it is the one that was scheduled last.
    pub fn fires(&mut self, now: Time, source: u32) -> bool {
        let due = &mut self.due[source as usize];
        let is_valid = *due == now;
        if is_valid {
            *due = Time::NEVER;
        }
        is_valid
    }

    /// Whether the station of a source is off.
    pub fn is_off(&self, source: u32) -> bool {
        self.reasons[source as usize] & OFF != 0
    }

    /// A source sends nothing more, for one more reason.
    pub fn mute(&mut self, source: u32, reason: u8) {
        self.reasons[source as usize] |= reason;
        self.due[source as usize] = Time::NEVER;
    }

    /// A reason for a source to be silent is gone; whether it was the last, so that the source begins anew.
    pub fn unmute(&mut self, source: u32, reason: u8) -> bool {
        let silent = &mut self.reasons[source as usize];
        let was_silent = std::mem::replace(silent, *silent & !reason) != 0;
        was_silent && *silent == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_begins_anew_when_the_last_reason_is_gone_and_what_was_due_before_is_void() {
        let at = |seconds| Time::from_picoseconds(seconds);
        let mut sources = Muted::new(2);
        assert!(sources.schedule(at(5), 1));
        sources.mute(1, STOPPED);
        sources.mute(1, OFF);
        assert!(!sources.fires(at(5), 1) && !sources.schedule(at(6), 1) && sources.is_off(1) && !sources.is_off(0));
        assert!(!sources.unmute(1, OFF) && sources.unmute(1, STOPPED));
        assert!(!sources.unmute(1, STOPPED), "it sends already");
        assert!(sources.schedule(at(7), 1) && !sources.fires(at(6), 1) && sources.fires(at(7), 1));
        assert!(!sources.fires(at(7), 1), "once");
    }
}
