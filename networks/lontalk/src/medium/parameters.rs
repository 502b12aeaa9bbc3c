//! Parameters of a channel.

use sojourn_core::{Duration, Time};

use super::transmission::{BacklogRule, Head, Transmission, TransmitResult};
use crate::backlog::Rules;
use crate::channel::Channel;

/// Parameters and derived times of a channel. Media of the same type share them, so that they stay cached.
#[derive(Debug)]
pub struct Parameters {
    /// Parameters of the channel.
    pub channel: Channel,
    /// How backlogs are estimated.
    pub rule: BacklogRule,
    pub(super) rules: Rules,
    wire_times: Vec<Duration>,
}

impl Parameters {
    /// Derives the times of a channel.
    pub fn new(channel: Channel, rule: BacklogRule) -> Self {
        let decay = |period| if rule == BacklogRule::Fixed { Duration::MAX } else { period };
        let (idle, waiting) = (decay(channel.idle_timer), decay(channel.beta2.times(u64::from(channel.base_window))));
        let rules = Rules { idle, waiting, cap: channel.backlog_cap };
        Parameters { rule, rules, wire_times: channel.wire_times(), channel }
    }

    /// The transmission that a station begins at `start`.
    #[inline]
    pub(super) fn transmission(&self, port: u32, start: Time, head: Head) -> Transmission {
        let end = start + self.wire_times[usize::from(head.length)];
        Transmission { port, start, end, head, result: TransmitResult::Sent }
    }
}
