//! What holds on a channel whoever is on it.

use sojourn_core::{Duration, Time};

use super::{BacklogRule, Fate, Head, Transmission};
use crate::lontalk::backlog::Rules;
use crate::lontalk::channel::Channel;

/// Times and rules of a channel. Media of the same kind share them, so that they stay in a processor's cache
/// however many there are.
#[derive(Debug)]
pub struct Conditions {
    /// The channel.
    pub channel: Channel,
    /// How backlogs are kept.
    pub rule: BacklogRule,
    pub(super) rules: Rules,
    wire_times: Vec<Duration>,
}

impl Conditions {
    /// Works out what a channel's parameters come to.
    pub fn new(channel: Channel, rule: BacklogRule) -> Self {
        let decay = |period| if rule == BacklogRule::Fixed { Duration::MAX } else { period };
        let (idle, waiting) = (decay(channel.idle_timer), decay(channel.beta2.times(u64::from(channel.base_window))));
        let rules = Rules { idle, waiting, cap: channel.backlog_cap };
        Conditions { rule, rules, wire_times: channel.wire_times(), channel }
    }

    /// The transmission that a station begins at `start`.
    #[inline]
    pub(super) fn transmission(&self, port: u32, start: Time, head: Head) -> Transmission {
        let end = start + self.wire_times[usize::from(head.length)];
        Transmission { port, start, end, head, fate: Fate::Sent }
    }
}
