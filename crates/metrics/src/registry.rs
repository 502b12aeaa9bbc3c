//! The registry of metrics: name, label, unit, shape, better direction, definition and measurement points.
//!
//! A name may carry a member: `"response_time/alarm"` is `response_time` of the flow `alarm`,
//! `"queue_length/switch/port-1"` that of one port. Figures, reports and the documentation read this table.

use serde::Serialize;

/// The shape of a metric: which fields it has in results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Samples: `count sent min min_mean mean max max_mean p50 p90 p95 p99 p999 sd ci95 p50_ci95 p90_ci95 p95_ci95 p99_ci95 p999_ci95`.
    Distribution,
    /// One number: `value ci95`. A count's value is the total over replications.
    Scalar,
    /// A level: `mean max ci95`.
    TimeWeighted,
    /// A component of the response time: `mean share slowest_mean slowest_share`.
    Budget,
}

/// Whether a smaller or a larger value is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Smaller values are better: times, losses, queues.
    Lower,
    /// Larger values are better: rates, voice quality.
    Higher,
}

/// A row of the registry.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MetricInformation {
    /// The name in results, studies and expectations.
    pub name: &'static str,
    /// Title of axes and columns: the term of the field.
    pub label: &'static str,
    /// SI unit of the values in results; `"1"` for counts and fractions.
    pub unit: &'static str,
    /// Unit in figures, tables and sentences where it is not the SI unit or a multiple of it: `"packets/s"`, `"%"`,
    /// `"ppm"`.
    pub shown_unit: Option<&'static str>,
    /// Which fields the metric has in results.
    pub shape: Shape,
    /// The better direction; none for a metric that is neither good nor bad, such as `utilisation`.
    pub better: Option<Better>,
    /// Whether its values may be negative, so that an interval is not cut at 0.
    #[serde(skip)]
    pub signed: bool,
    /// The definition, in one or two sentences, with its standard.
    pub definition: &'static str,
    /// The measurement points or the object observed.
    pub measured_at: &'static str,
}

/// All metrics, by name.
pub fn all() -> &'static [MetricInformation] {
    METRICS
}

/// The metric of a name, with or without a member.
pub fn find(name: &str) -> Option<&'static MetricInformation> {
    let base = name.split('/').next()?;
    METRICS.binary_search_by_key(&base, |information| information.name).ok().map(|index| &METRICS[index])
}

const fn row(
    name: &'static str,
    unit: &'static str,
    shape: Shape,
    label: &'static str,
    definition: &'static str,
    measured_at: &'static str,
) -> MetricInformation {
    MetricInformation {
        name,
        label,
        unit,
        shown_unit: None,
        shape,
        better: None,
        signed: false,
        definition,
        measured_at,
    }
}

impl MetricInformation {
    const fn shown(mut self, unit: &'static str) -> Self {
        self.shown_unit = Some(unit);
        self
    }

    const fn signed(mut self) -> Self {
        self.signed = true;
        self
    }

    const fn lower(mut self) -> Self {
        self.better = Some(Better::Lower);
        self
    }

    const fn higher(mut self) -> Self {
        self.better = Some(Better::Higher);
        self
    }
}

use Shape::{Budget, Distribution, Scalar, TimeWeighted};

/// Sorted by name, for [`find`].
#[rustfmt::skip]
const METRICS: &[MetricInformation] = &[
    row("access_delay", "s", Distribution, "Access delay", "Of frames on a wire that stations share: time from the start of a frame's first attempt to the first bit of the transmission that succeeded, without the wait before that attempt. Each station is a member.", "the sender's MAC").lower(),
    row("acknowledgement_rtt", "s", Distribution, "Acknowledgement RTT", "Of a capture: time from a TCP segment or XTP packet of new data to the acknowledgement of it, without those that were retransmitted (Karn); members forward for those of the client, return for those of the server.", "the point of capture").lower(),
    row("airtime", "s", Scalar, "Airtime", "Time a station transmits, transmit delay (TXDELAY) and tail (TXTAIL) included, computed from the lengths of its frames.", "the measuring station"),
    row("airtime_wait", "s", Scalar, "Wait for airtime", "Time that exchanges waited, before they began, for room in the airtime of both stations or for a far station that was not ready to receive (RNR); no part of response_time.", "the measuring station").lower(),
    row("allowed_cell_rate", "cells/s", TimeWeighted, "Allowed cell rate (ACR)", "Rate at which an ABR source may send cells (ACR, TM 4.0).", "the probed source's end system"),
    row("answer_complete", "s", Distribution, "Time to the complete answer", "Of a capture: time from the first packet of a request to the last of its answer, where that was captured; response_time is to the first.", "the point of capture").lower(),
    row("answers", "1", Scalar, "Acknowledgements and responses", "Share of correct packets that answer others: acknowledgements, responses, challenges and replies.", "the medium").shown("%"),
    row("arbitration_losses", "1", Scalar, "Arbitration losses", "Times that a node with a frame to send lost arbitration (CAN), once for each frame that was sent instead.", "all buses; each is a member where there are several").lower(),
    row("attempts", "1", Scalar, "Frames by attempts", "Of frames on a wire that stations share, the share by number of attempts, from 1 to 16, each number a member; those given up have had all.", "the sender's MAC").shown("%"),
    row("backlog", "1", TimeWeighted, "Estimated backlog", "Number of packets waiting on the medium, as estimated by the nodes' medium access control.", "mean over the nodes of the probed medium"),
    row("buffer_overflows", "1", Scalar, "Buffer overflows", "Messages refused because a buffer of the station was full.", "all stations, transmit and receive buffers").lower(),
    row("bus_offs", "1", Scalar, "Bus-off events", "Times that a node went bus off, its transmit error counter above 255 (CAN).", "all nodes; those that were not always error active are members").lower(),
    row("bus_wait", "s", Distribution, "Bus arbitration delay", "Time between a transaction's bus request and its grant.", "the bus: the adapter's transactions, and as a member those of other nodes").lower(),
    row("call_setup_time", "s", Distribution, "Call setup time", "Of a capture: time from the INVITE of a call to its 2xx response, from the last INVITE where the others were challenged.", "the point of capture").lower(),
    row("call_time", "s", Distribution, "Call time", "Of a capture: time from the 2xx response of a call to its BYE (session duration time, RFC 6076, 4.5).", "the point of capture"),
    row("calls", "1", Scalar, "Calls", "Of a capture: calls that SIP sets up (INVITE), with members answered, cancelled, busy, failed, and open where there was no final response.", "the point of capture"),
    row("capture_run", "1", Scalar, "Longest run of one station", "Most frames that one station of a shared wire sent one after the other while others had frames (capture effect).", "all shared wires").lower(),
    row("captured_twice", "1", Scalar, "Packets captured twice", "Of a capture: copies of one packet of TCP or XTP, as a capture of all interfaces has them; they count once.", "the point of capture").lower(),
    row("certificate_left", "s", Scalar, "Certificate left", "Time until the certificate of an https server expires, as its last handshake showed; negative after it.", "the server").higher(),
    row("claims", "1", Scalar, "Claim processes", "Claim processes started: stations bid for the token again. Without a warm-up, includes the one that starts the ring.", "all rings"),
    row("clock_error", "s", Scalar, "Error bound of one-way delays", "Error bound of the clock offset: of an estimate half of the minimum round-trip time, which path asymmetry could account for, plus its scatter; of synchronised clocks the sum of what both hosts state; of either 2 µs of the timestamps.", "both ends of the probe"),
    row("clock_offset", "s", Scalar, "Clock offset", "Remote clock less local clock, where the remote clock keeps time of day (STAMP) and is not taken for synchronised; its interval is the error bound.", "both ends of the probe").signed(),
    row("clock_skew", "1", Scalar, "Clock skew", "Rate at which the remote clock gains on the local one, as a fraction, with its 95 % interval; from times without a step of a clock or of the path.", "both ends of the probe").shown("ppm").signed(),
    row("clock_steps", "1", Scalar, "Clock steps", "Times at which the forward and the return clock differences moved alike, as when a clock is set; one-way delays have an offset for each time between.", "both ends of the probe").lower(),
    row("collision_loss", "1", Scalar, "Frames lost to collisions", "Frames that an overlap destroyed as a share of all frames sent: a collision of two counts as two. Of LonTalk; that of packet radio is collision_rate.", "the medium").shown("%").lower(),
    row("collision_rate", "1", Scalar, "Collision rate", "Of LonTalk, collisions as a share of what a protocol analyser on the medium sees: a collision is one damaged frame to it, of however many frames that overlap; beside them correct frames and those lost to bit errors alone. Of packet radio, receptions lost to overlap, or because the receiver transmitted, as a share of all receptions.", "the medium").shown("%").lower(),
    row("collisions", "1", Scalar, "Collisions", "Overlapping transmissions.", "all media").lower(),
    row("conformance", "1", Scalar, "Conformance", "Share of the packets of a flow that the meter at a sender found green, yellow and red (RFC 2697, RFC 2698), each a member.", "each flow with a meter and each of its senders").shown("%"),
    row("connect_time", "s", Distribution, "Connection setup time", "Time between the connect request and the link being up.", "the calling station").lower(),
    row("connections", "1", Scalar, "TCP connections", "Of a capture: TCP connections seen; members open-at-begin and open-at-end are those whose setup or end is not in it.", "the point of capture"),
    row("corrected_frames", "1", Scalar, "Frames corrected", "Share of the frames received without error, each by a station that it is for, that had wrong octets, all of which forward error correction (FX.25, IL2P) corrected.", "all media, receiving stations").shown("%"),
    row("corrected_octets", "1", Scalar, "Octets corrected", "Wrong octets that forward error correction corrected in received frames: data and check octets, not bits of a correlation tag or sync word.", "all media, receiving stations"),
    row("crc_error_rate", "1", Scalar, "CRC error rate", "Frames lost to overlap or bit errors as a share of all frames on the medium: CRC errors / (CRC errors + correct packets).", "a medium with bit errors, as a protocol analyser sees it").shown("%").lower(),
    row("cycle_length", "s", Distribution, "Cycle length", "Time from one beacon of PLCA to the next. Each shared wire is a member.", "node 0").lower(),
    row("deadline_misses", "1", Scalar, "Deadline misses", "Share of the messages of flows with a deadline that were handled after it, or never.", "each flow with a deadline and its receivers").shown("%").lower(),
    row("deferrals", "1", Scalar, "Deferrals", "Frames that had to wait for carrier or interframe gap before their first attempt. Each station is a member.", "the sender's MAC").lower(),
    row("delay_budget", "s", Budget, "Delay budget", "Response time of the probed transactions split into components that add up to it.", "as response_time, one component each").lower(),
    row("disconnect_time", "s", Distribution, "Disconnect time", "Time between the disconnect request and the peer's response to it.", "the station that disconnects").lower(),
    row("drops", "1", Scalar, "Drops", "Frames, packets or cells dropped.", "all buffers; each queue or port that drops is a member").lower(),
    row("duplicates", "1", Scalar, "Duplicates", "Messages delivered to an application more than once; in a measurement requests and responses that arrived again, with members forward and return where the remote host numbers or counts packets.", "receiving applications").lower(),
    row("error_frames", "1", Scalar, "Error frames", "Error frames: transmissions that an error or a missing acknowledgement ended (CAN).", "all buses; each is a member where there are several").lower(),
    row("error_passive", "1", Scalar, "Time error passive", "Share of its time that a node was error passive or bus off (CAN), mean over the nodes.", "all nodes; those that were not always error active are members").shown("%").lower(),
    row("evicted", "1", Scalar, "Evicted transactions", "Of a capture: connections and transactions that were given up to bound the memory of the analysis.", "the analysis").lower(),
    row("excessive_collisions", "1", Scalar, "Excessive collisions", "Frames given up since every attempt collided (IEEE 802.3, 4.2.3.2.5). Each station is a member.", "the sender's MAC").lower(),
    row("failure_time", "s", Distribution, "Time to failure", "Time from sending a request to a service until it failed, each kind of failures a member: of answers with an error status that of the whole answer.", "the probe").lower(),
    row("failures", "1", Scalar, "Undelivered messages", "Probe messages that were not delivered; in a measurement requests without an answer before the timeout. Of requests to services (dns, http, https, modbus, modbus-rtu, mstp, can, can-udp) also those that failed, with a member for each kind: timeout, not_sent, resolve, connection_refused, unreachable, connection_lost, tls, protocol, truncated, http_<status>, dns_<response code>, damaged, modbus_exception_<code>, bacnet_error, bacnet_reject, bacnet_abort, uds_negative_response_<code>, sdo_abort_<code>, isotp_n_bs (no flow control), isotp_n_cr (an answer that stopped), isotp_wrong_sequence, isotp_overflow. Of packet radio without a probe the sessions that failed, and each flow of sessions is a member.", "the probe").lower(),
    row("fairness", "1", Scalar, "Jain's fairness index", "Jain's index of the bits that the stations of a shared wire have sent: 1 where all sent alike, 1/n where one of n sent all. Of several wires the lowest.", "all stations of the wire that have frames").higher(),
    row("fifo_overflow", "1", Scalar, "Voice buffer overflows", "Voice samples or frames lost because a voice buffer was full.", "voice buffers, sending and receiving").lower(),
    row("fifo_underflow", "1", Scalar, "Voice buffer underruns", "Times a receiving voice buffer ran empty.", "receiving voice buffers").lower(),
    row("fragments", "1", Scalar, "Fragments", "Of a capture: fragments of IP datagrams, the first of each included.", "the point of capture").lower(),
    row("frame_time", "1", Scalar, "Line time of frames", "Share of the observed time that frames of a type are on a trunk: token, poll (Poll For Master and its reply), request (data expecting reply), data (not expecting reply), other. Each type is a member.", "each trunk").shown("%"),
    row("frames_per_token", "1", Scalar, "Frames per token", "Frames sent per token captured.", "the probe's sender"),
    row("frames_sent", "1", Scalar, "Frames sent", "Frames that crossed a wire that stations share. Each station is a member.", "the receiving stations").higher(),
    row("freshness", "s", Distribution, "Age of a value", "Of a value that a client polls, the age that it has reached when the next one replaces it: time from the server reading it until then (peak age of information). Each flow is a member, over all that it polls.", "the polling application").lower(),
    row("handshake_rtt", "s", Distribution, "Handshake RTT", "Of a capture: time from a SYN to the acknowledgement that completes the handshake, of XTP from FIRST to the first report, without handshakes that were retransmitted.", "the point of capture").lower(),
    row("handshakes", "1", Scalar, "Synchronizing handshakes", "XTP synchronizing handshakes: status requests (SREQ) whose response timed out.", "all hosts"),
    row("hop_delay", "s", Scalar, "Hop delay", "Mean time per exchange of a flow of sessions that the last octets of request and response spend from station to station, each hop a member, and in the peer's program, the peer a member; the members of a flow add up to the mean of its response_time.", "from one station having received the octet to the next having received it; digipeaters are part of the hop").lower(),
    row("host_paused", "1", Scalar, "Pauses of the host", "Times of a second or more in which the measuring process did not run: stopped, frozen, suspended or starved. Requests whose responses were due then and have none count neither as lost nor as late.", "the measuring host").lower(),
    row("host_time", "s", Distribution, "Host time", "Share of the response time spent in the hosts: response time less path_time.", "the probe: application to kernel, kernel to application, and the remote host's processing time").lower(),
    row("interarrival_time", "s", Distribution, "Interarrival time", "Of a capture: time between the first packets of transactions of a flow that follow each other.", "the point of capture"),
    row("interference", "1", Scalar, "Bus interference", "Share of bus cycles driven by nodes other than the adapter.", "the bus").shown("%"),
    row("ipdv", "s", Distribution, "Delay variation (IPDV)", "Absolute difference of the delays of consecutive packets of a stream (IPDV, RFC 3393).", "consecutive packets of the probe").lower(),
    row("jitter_p95_p50", "s", Scalar, "Jitter (p95 − p50)", "95th percentile less median of the response time.", "the probe").lower(),
    row("jitter_rfc3550", "s", Scalar, "Interarrival jitter (RFC 3550)", "Smoothed interarrival jitter (RFC 3550, section 6.4.1) at the end of the run; in a measurement its mean over the phase, that of the response time, with members forward and return for each direction; of a capture its mean over the packets of RTP, each stream a member, by its SSRC.", "the probe's receiver").lower(),
    row("jitter_rfc3550_max", "s", Scalar, "Largest interarrival jitter (RFC 3550)", "Largest value of the smoothed interarrival jitter (RFC 3550, section 6.4.1) in a phase or a capture, with members as of jitter_rfc3550.", "the probe's receiver").lower(),
    row("late", "1", Scalar, "Late answers", "Share of the requests of a measurement whose response arrived after the timeout, by the kernel's timestamp if there is one; their times are in response_time, and they are not in loss.", "the probe").shown("%").lower(),
    row("late_acknowledgements", "1", Scalar, "Late acknowledgements", "Acknowledgements that arrived after their transaction had ended.", "all stations").lower(),
    row("late_collisions", "1", Scalar, "Late collisions", "Frames that collided after the slot time, as on a wire that is too long: they are lost.", "the sender's MAC").lower(),
    row("late_packets", "1", Scalar, "Late packets", "Share of a channel's datagrams that the receiving device discarded: older than the channel timeout, or out of order after the escrow time.", "the members of an IP-852 channel").shown("%").lower(),
    row("lateness", "s", Distribution, "Send lateness", "Actual less scheduled send time of a request.", "the probe's sender").lower(),
    row("logical_collisions", "1", Scalar, "Logical collisions", "Collisions that PLCA shows a MAC to hold its frame back until its turn; nothing is on the wire.", "the sender's MAC"),
    row("longest_loss_burst", "1", Scalar, "Longest loss burst", "Largest number of consecutive requests without a response; of a capture, of packets of a stream that did not reach it, each stream a member.", "the probe").shown("packets").lower(),
    row("loss", "1", Scalar, "Loss", "What was lost of the probed flows, as a share of what they offered: requests without a response, datagrams and packets of calls that did not arrive, of voice in real time samples that could not be played; what is in flight at the end is not counted. Each probed flow is a member. In a measurement a request without a response, or to a service that failed; a response after the timeout is late instead; where the remote host counts packets or numbers its replies, forward is the share of the requests that did not reach it, return that of those that did.", "the probe, the buffers of the network, or an IP-852 channel").shown("%").lower(),
    row("loss_bursts", "1", Scalar, "Loss bursts", "Runs of consecutive requests without a response; of a capture, of packets of a stream that did not reach it, each stream a member.", "the probe").lower(),
    row("malformed", "1", Scalar, "Malformed packets", "Of a capture: packets that do not parse, by CRC or by form, as a share of all.", "the point of capture").shown("%").lower(),
    row("marks", "1", Scalar, "ECN CE marks", "Packets or cells marked to signal congestion (ECN CE, EFCI); in a measurement the responses to ECN-capable requests that were marked in either direction.", "all outputs, each a member; in a measurement the probe"),
    row("missed", "1", Scalar, "Skipped samples", "Samples that a closed-loop probe did not take because the previous one was outstanding.", "the probe").lower(),
    row("mos", "1", Scalar, "Mean opinion score (MOS)", "Mean opinion score of a voice stream, 1 (bad) to 4.5, from r_factor (ITU-T G.107, Annex B; G.107.1 and G.107.2, Annex A); of several streams the lowest. Scores of codecs of different bandwidths do not compare.", "between talker and listener, after the jitter buffer").higher(),
    row("noise_floor", "s", Scalar, "Noise floor", "Median loopback RTT between two blocked threads of the measuring host: a response time below it reflects the hosts, not the network.", "the measuring host, before the measurement"),
    row("not_sent", "1", Scalar, "Requests not sent", "Requests of a monitor that were due and not sent, since they were overdue by a timeout, or would have left faster than the rate, when the host ran again; not in loss.", "the probe's sender").lower(),
    row("one_way_delay", "s", Distribution, "One-way delay", "Delay in one direction (RFC 7679), with members forward and return, from an estimate of the remote clock or from synchronised clocks; its error bound is clock_error, in results its field `error`. Of simulated voice in real time: of each packet of all channels, from its last sample to its delivery. Of simulated streams of datagrams and of calls: from program to program, a lost packet counting as longer than any; each flow is a member, a call also by direction, as calls/forward and calls/return.", "kernel to kernel where both ends have kernel timestamps, the probe; simulated voice from talker to listener, streams from program to program").lower(),
    row("opportunities_used", "1", Scalar, "Opportunities used", "Share of the transmit opportunities of PLCA that nodes used.", "all nodes").shown("%"),
    row("out_of_order", "1", Scalar, "Segments out of order", "Of a capture: TCP segments that arrive after ones with higher sequence numbers and are not retransmissions.", "the point of capture").lower(),
    row("outage_time", "s", Scalar, "Outage time", "Time without a response: the outages of a phase together.", "the probe's receiver").lower(),
    row("outages", "1", Scalar, "Outages", "Outages: three or more requests in a row without a response before the timeout, over at least a second.", "the probe's receiver").lower(),
    row("packet_length", "B", Scalar, "Packet length", "Mean length of correct packets, from the link header to the CRC.", "the medium"),
    row("packet_rate", "1/s", Scalar, "Packet rate", "Packets delivered per second.", "receiving stations").shown("packets/s").higher(),
    row("packet_rate_limit", "1/s", Scalar, "Packet rate limit", "Packets per second that a channel can sustain with packets of this run's mean length: 80 % of the peak rate that always-ready senders reach, beyond which queues grow. It is the capacity, not a planning limit: response times rise well below it, and it says nothing of the nodes' processors.", "the medium"),
    row("packets", "1", Scalar, "Packets", "Correct packets carried, over all replications.", "all media"),
    row("path_changes", "1", Scalar, "Path changes", "Times at which the minimum delay of one direction changed and the other did not follow, as after a change of route, or where a queue fills for long.", "the probe").lower(),
    row("path_time", "s", Distribution, "Network RTT", "Round-trip time less the time in the hosts: kernel to kernel and back, less the remote host's processing time; of a remote host that reports none that time is included. unknown_residence counts the responses left out.", "kernel to kernel, the probe").lower(),
    row("pdv", "s", Distribution, "Delay variation (PDV)", "Delay of each packet less the minimum delay of the run (PDV, RFC 5481).", "the probe").lower(),
    row("phase", "s", Distribution, "Phase of a request", "Phases of the answered requests to a service, which add up to response_time: resolve (the name of the server), connect (TCP), tls (handshake), first_byte (from there to the beginning of the answer, of HTTP its status and header fields), whole (from there to its end). A phase that a request does not have is left out: resolve of an address, connect and tls of a kept connection. Over MS/TP: token (until the request has left with the token), reply (from there to the end of the answer, postponed or not). On CAN: request (until its last frame has left, flow control included), first_frame (from there to the first frame of the answer), whole (from there to its last).", "the probe").lower(),
    row("play_out_delay", "s", Scalar, "Mouth-to-ear delay", "Time from speech to its playout: packetization, the delay of the first packet, and the jitter buffer; of several streams that of the lowest rating.", "between talker and listener, after the jitter buffer").lower(),
    row("play_out_loss", "1", Scalar, "Voice packets not played", "Share of voice packets not played: lost, late, or dropped by a full jitter buffer, each a member; of several streams that of the lowest rating.", "receiving voice buffers").shown("%").lower(),
    row("plca_changes", "1", Scalar, "Changes of PLCA's status", "Times that a node went from PLCA to CSMA/CD for want of beacons, or back.", "all nodes").lower(),
    row("poll_cycle", "s", Distribution, "Poll cycle", "Of a poll, time from the first question of a round over all receivers until the last one has answered or failed. Each flow is a member.", "the polling application").lower(),
    row("poll_share", "1", Scalar, "Polls for masters", "Polls For Master as a share of all frames of a trunk.", "the trunk").shown("%").lower(),
    row("polls", "1", Scalar, "Supervisory polls", "Supervisory polls: enquiries (P bit) for the peer's state.", "all links"),
    row("polls_for_master", "1", Scalar, "Polls for master", "Frames of MS/TP that ask whether a master has an address (Poll For Master); of a simulation each master is a member.", "all trunks; of a capture the point of capture"),
    row("post_dial_delay", "s", Distribution, "Post-dial delay", "Of a capture: time from the INVITE of a call to the first response that says what becomes of it, 101 to 199 or the final one (session request delay, RFC 6076, 4.3); from the last INVITE where the others were challenged (401, 407).", "the point of capture").lower(),
    row("postponed", "1", Scalar, "Postponed replies", "Replies that followed a Reply Postponed with the token of their station (mstpcap: Tpostpd), as a share of all replies of stations of trunks.", "all stations of trunks").shown("%").lower(),
    row("precedence_loss", "1", Scalar, "Loss by drop precedence", "Lost packets as a share of those that a meter let into the network as green, yellow and red, each a member.", "each flow with a meter and each of its senders").shown("%").lower(),
    row("processor_utilisation", "1", Scalar, "CPU utilisation", "Share of time a host's CPU is busy.", "each host").shown("%"),
    row("queue_access_delay", "s", Distribution, "Queueing and access delay", "Of frames on a wire that stations share: time from a frame joining its station's queue to the first bit of the transmission that succeeded. Each station is a member.", "the sender's queue and MAC").lower(),
    row("queue_length", "cells", TimeWeighted, "Queue length", "Units queued or in transmission; the mean after the warm-up, the maximum from time 0.", "a buffer, port or station").lower(),
    row("r_factor", "1", Scalar, "R factor", "E-model rating of a voice stream, of narrowband codecs 0 to 93.2 (ITU-T G.107, 06/2015), wideband to 128.8 (G.107.1), fullband to 148 (G.107.2), defaults for all but delay, codec and loss; of several streams the lowest.", "between talker and listener, after the jitter buffer").higher(),
    row("recovery_time", "s", Distribution, "Recovery time", "Time from the begin of an event to recovery: the sending of the first of ten probe requests in a row, sent after the end of the event, that are answered within the 95 % quantile of the response times of before; of streams and calls likewise ten packets within that of their one-way delays. Those are of requests answered since the warm-up while no event lasted or was recovered from. Each event is a member; never counts events that happened again, or after which the run ended, without recovery.", "the probe").lower(),
    row("remote_frames", "1", Scalar, "Remote frames", "Of a capture of CAN: frames that ask for the data frame with their identifier.", "the point of capture"),
    row("reordering", "1", Scalar, "Reordering", "Share of requests whose response arrived after that of a later request (RFC 4737), with members forward and return where the remote host counts packets or numbers its replies.", "the probe").shown("%").lower(),
    row("reply_postponed", "1", Scalar, "Replies postponed", "Of a trunk of MS/TP: requests that the server answered by Reply Postponed, and later with a token of its own.", "the point of capture"),
    row("response_time", "s", Distribution, "Response time", "Time from an application sending a message to another application (for a request the same one, with the response) acting on it; of a capture from the first packet of a request to the first of its answer.", "application to application, the probe's flow").lower(),
    row("response_time_intended", "s", Distribution, "Intended response time", "Response time from the scheduled send time of the request: free of coordinated omission.", "the probe").lower(),
    row("responsiveness", "1/s", Scalar, "Responsiveness", "Round trips per second, one after the other, at the mean of the fastest 95 % of the response times of a phase: the request term http_f of the foreign responsiveness of draft-ietf-ippm-responsiveness, without its handshakes tcp_f and tls_f and without requests on the loading connections; times 60 in RPM.", "the probe").shown("round-trips/s").higher(),
    row("retransmissions", "1", Scalar, "TCP retransmissions", "Segments retransmitted by TCP, in a capture also packets with data by XTP; in a measurement those of this end on the request connection, in the phase.", "senders of bulk transfers; in a measurement the probe").lower(),
    row("retries", "1", Scalar, "Retries", "Transmissions of a message after the first, for want of an answer. The copies that unacknowledged-repeated service sends in any case are none.", "the probe").lower(),
    row("ring_time", "s", Distribution, "Ring time", "Of a capture: time from the first response 180 (Ringing) to the INVITE of a call to the final one.", "the point of capture"),
    row("rtcp_rtt", "s", Scalar, "RTCP round-trip time", "Of a capture: mean time from a sender's report to the report of its receiver that refers to it, less the time that the receiver held it (RFC 3550, 6.4.1): the round trip between capture and receiver. Each stream is a member, by its SSRC.", "the point of capture").lower(),
    row("session_setup_time", "s", Distribution, "Session setup time", "Time from a user requesting the link to the first station of the path to the connection of the peer, all commands included.", "the users").lower(),
    row("session_time", "s", Distribution, "Session time", "Time from a user requesting the link to the end of the disconnection, of sessions that completed.", "the users").lower(),
    row("sessions", "1", Scalar, "Sessions", "Sessions that completed.", "the users").higher(),
    row("shaping_delay", "s", Distribution, "Shaping delay", "Time that a packet waits in a shaper until it conforms to its token bucket.", "each flow with a shaper and each of its senders").lower(),
    row("socket_drops", "1", Scalar, "Socket drops", "Datagrams that a host's own socket dropped because its buffer was full (SO_RXQ_OVFL): loss of the host, not of the network. Members: local for this host, remote for the other, there of all its clients.", "sockets of the probe").lower(),
    row("srtt", "s", Scalar, "TCP SRTT", "Smoothed round-trip time (SRTT, RFC 6298) of the TCP connection that carries the requests, at the end of the phase.", "kernel to kernel, the probe").lower(),
    row("successors_lost", "1", Scalar, "Successors lost", "Times that a master gave its successor up, since it did not use the token, and looked for another (FindNewSuccessor).", "all trunks").lower(),
    row("throughput", "bit/s", Scalar, "Goodput", "User data delivered per second (goodput, RFC 2647).", "receiving applications").higher(),
    row("throughput_l3", "1/s", Scalar, "Link throughput", "Correct packets per second.", "the medium").shown("packets/s").higher(),
    row("throughput_l4", "1/s", Scalar, "Packets less repeats", "Correct packets per second less repeats: each packet of a delivered message, its acknowledgements and responses included, counts once, however often it was sent.", "the receivers").shown("packets/s").higher(),
    row("timeouts", "1", Scalar, "Response timeouts", "Times that a client or a gateway waited for its response timeout; each flow is a member.", "the clients of the probed flows").lower(),
    row("token_rate", "1/s", Scalar, "Token rate", "Tokens that were passed per second, repeated ones included.", "all trunks; of several, each is a member").shown("tokens/s").higher(),
    row("token_retries", "1", Scalar, "Token retries", "Tokens of MS/TP that were sent again since the successor did not use them (RetrySendToken).", "all trunks; of a capture the point of capture").lower(),
    row("token_rotation", "s", Distribution, "Token rotation time", "Time between two arrivals of the token; of a captured trunk of MS/TP, of each station.", "one station of the ring"),
    row("tokens", "1", Scalar, "Tokens captured", "Of a capture: tokens of FDDI, which most adapters do not capture, and of MS/TP; in a measurement over MS/TP those that this host received.", "the point of capture"),
    row("tokens_lost", "1", Scalar, "Tokens lost", "Tokens lost; of a trunk of MS/TP silences of T_no_token that a station ended.", "all rings and trunks").lower(),
    row("transaction_failures", "1", Scalar, "Failed transactions", "Transactions abandoned by the protocol, whether delivered or not.", "the probe").lower(),
    row("transaction_rate", "1/s", Scalar, "Transaction rate", "Transactions completed per second.", "the probe, or the sinks of the network").shown("transactions/s").higher(),
    row("transaction_time", "s", Distribution, "Transaction time", "Time from an application sending a message to the end of its transaction: the last acknowledgement or response processed.", "the sender of the probe").lower(),
    row("unknown_residence", "1", Scalar, "Unknown residence times", "Responses whose residence time at the remote host is unknown, because the reply that reports it was lost; left out of path_time, host_time and delay_budget.", "the probe").lower(),
    row("unrecovered", "1", Scalar, "Events without recovery", "Share of the occurrences of an event after which there was no recovery, as of recovery_time. Each event is a member.", "the probe").shown("%").lower(),
    row("unseen_acknowledged", "1", Scalar, "Acknowledged, not captured", "Of a capture: TCP acknowledgements of data that is not in it, which shows that the capture lacks packets.", "the point of capture").lower(),
    row("utilisation", "1", Scalar, "Utilisation", "Share of time the medium or server is busy, of an IP-852 channel the access link of the member that sends most; of several media the mean, and each is a member.", "the medium or server").shown("%"),
    row("utilisation_canbusload", "1", Scalar, "Utilisation as canbusload counts", "Of a capture of CAN: share of time that the frames would have taken with a stuff bit for every five bits that may be stuffed, as canbusload of can-utils counts unless asked for the exact number (canframelen.c). It is below the most stuff bits that frames can have, since a stuff bit may begin the next run.", "the bus, of several the mean; each is a member").shown("%"),
    row("utilisation_worst", "1", Scalar, "Utilisation with worst-case stuffing", "Share of time that the frames sent would have taken with as many stuff bits as they can have (CAN), of several buses the mean.", "all buses; each is a member where there are several").shown("%"),
    row("voice_channels", "1", Scalar, "Voice channels", "Voice channels the stream carries without loss.", "the probe's stream").higher(),
    row("zero_window_probes", "1", Scalar, "Zero-window probes", "Of a capture: TCP segments with which a sender asks whether a window of zero has opened (RFC 9293, 3.8.6.1); no retransmissions.", "the point of capture"),
    row("zero_window_time", "s", Distribution, "Zero-window time", "Of a capture: time from a TCP receiver advertising a window of zero to its opening it.", "the point of capture").lower(),
    row("zero_windows", "1", Scalar, "Zero windows", "Of a capture: TCP windows of zero advertised.", "the point of capture").lower(),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_by_name_without_duplicates() {
        assert!(METRICS.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn every_label_names_one_metric() {
        let labels: std::collections::BTreeSet<&str> = METRICS.iter().map(|metric| metric.label).collect();
        assert_eq!(labels.len(), METRICS.len());
    }

    #[test]
    fn a_member_of_a_metric_is_found_under_its_name() {
        assert_eq!(find("response_time/alarm").unwrap().name, "response_time");
        assert_eq!(find("queue_length/switch/port-1").unwrap().unit, "cells");
        assert!(find("jitter").is_none(), "every jitter metric names its definition");
    }

    #[test]
    fn every_metric_of_the_contract_is_here_with_its_unit_and_shape() {
        let text = include_str!("../../../tests/contract/contract.json");
        let contract: serde_json::Value = serde_json::from_str(text).unwrap();
        let studies = contract["studies"].as_object().unwrap().values();
        let experiments = studies.flat_map(|study| study["experiments"].as_object().unwrap().values());
        for (name, shape) in experiments.flat_map(|experiment| experiment["metrics"].as_object().unwrap()) {
            let found = find(name).unwrap_or_else(|| panic!("{name} is not registered"));
            assert_eq!(contract["units"][name], found.unit, "{name}");
            assert_eq!(*shape, serde_json::to_value(found.shape).unwrap(), "{name}");
        }
    }
}
