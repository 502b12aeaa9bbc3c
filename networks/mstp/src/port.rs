//! A port of a station on a medium as it runs.

use sojourn_core::{Duration, Stream, Time, clone_fields, rekey_fields};
use sojourn_protocols::mstp::wire::Frame;

use super::node::Node;
use super::npdu::Npdu;

/// State of a port.
#[derive(Debug)]
pub struct Port {
    /// Its station.
    pub station: u32,
    /// Its medium.
    pub medium: u16,
    /// The node of a trunk; none on an IP network.
    pub node: Option<Node>,
    /// Received, and not yet noticed: the frame, and when it ended.
    pub pending: Option<(Frame<Npdu>, Time)>,
    /// Waits for the line.
    pub ready: Option<Frame<Npdu>>,
    /// On the line, since when.
    pub on_line: Option<(Frame<Npdu>, Time)>,
    /// The frame on the line lost its sender.
    pub is_cut: bool,
    /// Whether the trunk lists it as active.
    pub is_active: bool,
    /// Losses of power so far: events of before are void.
    pub epoch: u32,
    /// When its timers are looked at: a multiple of the resolution after this.
    pub phase: Duration,
    /// On an IP network, when its link is free.
    pub free_at: Time,
    /// Polls for masters sent since the end of the warm-up.
    pub polls: u64,
}

clone_fields!([] Port {
    station, medium, node, pending, ready, on_line, is_cut, is_active, epoch, phase, free_at, polls
});

/// Random times of a station.
#[derive(Clone, Debug)]
pub struct StationState {
    /// Latency of tokens.
    pub token_latency: sojourn_model::laws::RandomTime,
    /// Latency of replies.
    pub reply_latency: sojourn_model::laws::RandomTime,
    /// Draws of the first.
    pub tokens: Stream,
    /// Draws of the second.
    pub replies: Stream,
    /// Whether it has no power.
    pub is_off: bool,
}

rekey_fields!(StationState { tokens, replies });
