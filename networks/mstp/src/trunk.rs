//! A trunk as it runs: its line, who listens, whose timer is due.

use sojourn_core::{Duration, Streams, Time, clone_fields, rekey_fields};
use sojourn_metrics::distribution::Distribution;
use sojourn_model::slab::NONE;
use sojourn_model::uart::Line;
use sojourn_protocols::mstp::wire::FrameType;

use super::site::{Medium, Site, Trunk};

/// What frames are counted as.
pub const KINDS: [&str; 5] = ["token", "poll", "request", "data", "other"];

/// The number in [`KINDS`] of a frame.
pub fn kind_of(kind: FrameType) -> usize {
    match kind {
        FrameType::Token => 0,
        FrameType::PollForMaster | FrameType::ReplyToPollForMaster => 1,
        kind if kind.is_request() => 2,
        kind if kind.is_unsolicited() => 3,
        _ => 4,
    }
}

/// State of a trunk.
#[derive(Debug)]
pub struct TrunkState {
    /// The line.
    pub line: Line,
    /// `T_turnaround`.
    pub turnaround: Duration,
    /// `T_frame_gap`.
    pub gap: Duration,
    /// The time of a character.
    pub character: Duration,
    /// Its ports by address; [`NONE`] where there is no node.
    pub by_address: Vec<u32>,
    /// Ports whose node waits for more than the next frame.
    pub active: Vec<u32>,
    /// Ports that wait for the end of what is on the line.
    pub waiting: Vec<u32>,
    /// When the last frame ended.
    pub silent: Time,
    /// When the timer event is due that counts; never where there is none.
    pub timer: Time,
    /// The port at which rotations are observed, and when it last received the token.
    pub reference: u32,
    last_token: Time,
    /// What was observed.
    pub tally: Tally,
}

clone_fields!([] TrunkState {
    line, turnaround, gap, character, by_address, active, waiting, silent, timer, reference, last_token, tally
});
rekey_fields!(TrunkState { line });

/// What was observed of a trunk since the end of the warm-up.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Frames that ended, by [`KINDS`].
    pub frames: [u64; KINDS.len()],
    /// Polls for masters among them.
    pub polls: u64,
    /// Frames that were destroyed.
    pub damaged: u64,
    /// Time on the line, by [`KINDS`].
    pub time: [Duration; KINDS.len()],
    /// Time between two tokens at the reference.
    pub rotation: Distribution,
}

impl TrunkState {
    /// A silent trunk.
    pub fn new(site: &Site, medium: &Medium, trunk: &Trunk, streams: &Streams) -> TrunkState {
        let noise = streams.stream(&format!("medium/{}/noise", medium.name));
        let mut by_address = vec![NONE; 256];
        let mut reference = (u8::MAX, NONE);
        for &port in &medium.ports {
            let Some(node) = &site.ports[port as usize].node else { continue };
            by_address[usize::from(node.protocol.address)] = port;
            if !node.is_slave {
                reference = reference.min((node.protocol.address, port));
            }
        }
        TrunkState {
            line: Line::new(trunk.format, trunk.bit_error_rate, noise).released_after(trunk.postdrive),
            turnaround: trunk.turnaround,
            gap: trunk.frame_gap,
            character: trunk.format.characters(1),
            by_address,
            active: Vec::new(),
            waiting: Vec::new(),
            silent: Time::ZERO,
            timer: Time::NEVER,
            reference: reference.1,
            last_token: Time::NEVER,
            tally: Tally::default(),
        }
    }

    /// A frame of this kind was on the line from `begin` to `end`; `to` is the port it is for, if one received it whole.
    #[inline]
    pub fn count(&mut self, kind: FrameType, [begin, end]: [Time; 2], to: Option<u32>, from: Time) {
        let number = kind_of(kind);
        self.tally.frames[number] += 1;
        self.tally.polls += u64::from(kind == FrameType::PollForMaster);
        self.tally.time[number] += end.since(begin);
        if kind == FrameType::Token && to == Some(self.reference) {
            let last = std::mem::replace(&mut self.last_token, end);
            if last != Time::NEVER && last >= from {
                self.tally.rotation.record(end - last);
            }
        }
    }

    /// The warm-up is over.
    pub fn end_warm_up(&mut self) {
        self.tally = Tally::default();
    }
}
