//! The twin of an IP network.
//!
//! The capture point may be at either host or anywhere between, and may differ from packet to packet: a simulated
//! capture records every packet where it arrives. Wherever it is, the RTT from it to one host and the RTT from it to
//! the other add up to the RTT of the path; the twin has that sum.
//!
//! | part | concern |
//! |---|---|
//! | `survey.rs` | every packet, passed on to what it belongs to |
//! | `trips.rs`, `spacing.rs` | times to a host and back; how close packets follow each other |
//! | `copies.rs` | packets that were captured twice |
//! | `transactions.rs` | requests and answers as the analysis of a capture finds them |
//! | `voice/` | streams of speech over RTP |
//! | `recorded/` | requests of real captures and calls, as they were recorded |
//! | `conversation.rs` | requests and answers over UDP and ICMP |
//! | `connection.rs`, `side.rs`, `turns.rs` | TCP connections, what each side sends, requests and answers |
//! | `requests.rs` | closed loops over TCP |
//! | `flow_key.rs`, `following.rs` | the key of a flow; the side of its clients |
//! | `flows.rs`, `left_out.rs` | which of them a scenario of this kind expresses, and which not |
//! | `think_time.rs` | how long clients think |
//! | `path.rs`, `layout.rs`, `bottleneck.rs` | paths and hosts on both sides of a bottleneck: delay, rate, loss, queue |
//! | `keys.rs` | the keys that are written |
//! | `write.rs`, `write_link.rs`, `write_station.rs`, `write_flow.rs`, `write_pace.rs` | the scenarios: links, hosts, flows, think times |
//! | `behaviour.rs` | what a simulation of them has to show as well |

mod behaviour;
mod bottleneck;
mod connection;
mod conversation;
mod copies;
mod delays;
mod flow_key;
mod flows;
mod following;
pub(crate) mod keys;
mod layout;
mod left_out;
#[cfg(test)]
mod packets;
mod path;
mod queue;
mod recorded;
mod requests;
mod side;
mod spacing;
mod survey;
mod think_time;
mod transactions;
mod trips;
mod turns;
mod voice;
mod write;
mod write_flow;
mod write_link;
mod write_pace;
mod write_station;

use self::survey::{Measured, Survey};
use super::behaviour::Transfers;
use super::scenario::{Options, Twin};
use sojourn_capture::Packet;
use sojourn_capture::ip::media::MediaStream;
use sojourn_capture::ip::roles::Servers;

/// What a capture shows of an IP network.
#[derive(Debug, Default)]
pub(super) struct Ip {
    survey: Survey,
}

impl Ip {
    /// None yet, where `servers` finds who serves.
    pub fn new(servers: &Servers) -> Ip {
        Ip { survey: Survey::new(servers) }
    }

    /// Takes a captured packet, of whatever protocol.
    pub fn packet(&mut self, packet: &Packet<'_>) {
        self.survey.packet(packet);
    }

    /// Number of packets of IP.
    pub fn packets(&self) -> u64 {
        self.survey.packets
    }

    /// The scenarios that the capture allows, the likeliest first; none if they would have no flow.
    pub fn readings(&mut self, options: &Options) -> Vec<Twin> {
        self.survey.finish();
        match recorded::applies(&self.survey) {
            true => vec![self.as_recorded(options)],
            false => write::readings(&self.survey, options),
        }
    }

    /// The scenario of a capture as it was recorded, its transfers at the rates that their senders kept, where those of
    /// [`readings`](Ip::readings) are inferred; it is compared from now on.
    pub fn fallback(&mut self, options: &Options) -> Option<Twin> {
        let is_possible = !self.is_recorded() && recorded::is_possible(&self.survey);
        is_possible.then(|| self.as_recorded(options))
    }

    /// The inferred scenarios are compared again.
    pub fn reject_fallback(&mut self) {
        self.survey.measured = Measured::Lasting;
    }

    fn as_recorded(&mut self, options: &Options) -> Twin {
        self.survey.measured = Measured::All;
        recorded::reading(&self.survey, options)
    }

    /// Whether all transfers are compared, as those of a recorded scenario are.
    pub fn is_recorded(&self) -> bool {
        self.survey.measured == Measured::All
    }

    /// This is a simulation of a recorded scenario.
    pub fn simulates_recorded(&mut self) {
        self.survey.measured = Measured::All;
    }

    /// Requests whose answers the capture does not have.
    pub fn without_answer(&self) -> u64 {
        self.survey.transactions.without_answer
    }

    /// Packets were captured where they arrive, as simulations capture them, not at one point. Those of frames of Modbus alone
    /// show no path, for want of what TCP does for them: their response times are all that there is, as at one point.
    pub fn is_captured_on_arrival(&mut self) {
        self.survey.is_captured_on_arrival = !self.is_of_frames();
    }

    /// Whether a simulation of kind `modbus` wrote it: frames, without what TCP does for them.
    pub fn is_of_frames(&self) -> bool {
        self.survey.packets > 0 && !self.survey.has_more_than_frames
    }

    /// The streams of speech over RTP that the scenario has, in the order of its flows.
    pub fn speech(&self) -> impl Iterator<Item = &MediaStream> {
        let has_calls = self.is_recorded();
        recorded::calls(&self.survey).filter(move |_| has_calls).map(|stream| &stream.media)
    }

    /// What transfers carried.
    pub fn transfers(&self) -> Transfers {
        behaviour::transfers(&self.survey)
    }

    /// Whether the point of capture is beside the clients of all requests, in the capture or in the scenario.
    pub fn is_beside_clients(&self) -> bool {
        self.is_recorded() || behaviour::is_beside_clients(&self.survey)
    }
}
