//! The keys of an IP scenario that a twin writes.

use crate::document::keys;

keys! {
    medium = "[[medium]]" {
        NAME: Text = "name",
        RATE: BitRate = "rate",
        LENGTH: Length = "length",
        DELAY: Time = "delay",
        LOSS: Share = "loss",
        MTU: Octets = "mtu",
        QUEUE: Inline = "queue",
        JITTER: Recorded = "jitter",
        REORDERING: Boolean = "reordering",
    }
    queue = "medium.queue" { KIND: Text = "kind", LIMIT: Whole = "limit" }
    station = "[[station]]" {
        NAME: Text = "name",
        TYPE: Text = "type",
        ON: Names = "on",
        COSTS: Inline = "costs",
        TCP: Inline = "tcp",
    }
    costs = "station.costs" { PACKET: Time = "packet" }
    tcp = "station.tcp" {
        PROFILE: Text = "profile",
        WINDOW_SCALING: Boolean = "window_scaling",
        SACK: Boolean = "sack",
        TIMESTAMPS: Boolean = "timestamps",
        MSS: Octets = "mss",
        RECEIVE_BUFFER: Octets = "receive_buffer",
        SEND_BUFFER: Octets = "send_buffer",
        INITIAL_CWND: Whole = "initial_cwnd",
    }
    flow = "[[flow]]" {
        NAME: Text = "name",
        SERVICE: Text = "service",
        PROBE: Boolean = "probe",
        FROM: Text = "from",
        TO: Text = "to",
        RECEIVERS: Names = "to",
        POLL: Boolean = "poll",
        SIZE: Octets = "size",
        RESPONSE_SIZE: Octets = "response_size",
        SERVER_TIME: Time = "server_time",
        SERVER_TIMES: Recorded = "server_time",
        SERVER_TIME_SPREAD: Time = "server_time_spread",
        CONNECTION: Text = "connection",
        THINK: Time = "think",
        THINKS: Recorded = "think",
        INTERVALS: Recorded = "interval",
        THINK_SPREAD: Time = "think_spread",
        TIMEOUT: Time = "timeout",
        ARRIVALS: Inline = "arrivals",
        START: Time = "start",
        START_SPREAD: Time = "start_spread",
        VOICE: Inline = "voice",
        SHAPING: Inline = "shaping",
    }
    shaping = "flow.shaping" { RATE: BitRate = "rate", BURST: Octets = "burst", LIMIT: Whole = "limit" }
    event = "[[event]]" { NAME: Text = "name", AT: Time = "at", ACTION: Text = "action", FLOWS: Names = "flows" }
    voice = "flow.voice" {
        CODEC: Text = "codec",
        PACKET_TIME: Time = "packet_time",
        SPEECH: Text = "speech",
        TALKSPURT: Recorded = "talkspurt",
        PAUSE: Recorded = "pause",
        DIRECTION: Text = "direction",
        DURATION: Time = "duration",
    }
}
