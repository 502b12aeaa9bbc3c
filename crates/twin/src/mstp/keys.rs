//! The keys of a scenario of MS/TP that a twin writes.

use crate::document::keys;

keys! {
    medium = "[[medium]]" {
        NAME: Text = "name",
        KIND: Text = "type",
        BIT_RATE: LineRate = "bit_rate",
        BIT_ERROR_RATE: ErrorRate = "bit_error_rate",
    }
    station = "[[station]]" {
        NAME: Text = "name",
        COUNT: Whole = "count",
        ON: List = "on",
        KIND: Text = "type",
        ADDRESS: Whole = "address",
        ADDRESS_STEP: Whole = "address_step",
        MAX_INFO_FRAMES: Whole = "max_info_frames",
        MAX_MASTER: Whole = "max_master",
        REPLY: Text = "reply",
        TIMERS: Inline = "timers",
        COSTS: Inline = "costs",
    }
    timers = "station.timers" {
        USAGE_TIMEOUT: Time = "usage_timeout",
        REPLY_TIMEOUT: Time = "reply_timeout",
        POLL: Whole = "poll",
    }
    costs = "station.costs" { TOKEN_LATENCY: Varying = "token_latency", REPLY_LATENCY: Varying = "reply_latency" }
    flow = "[[flow]]" {
        NAME: Text = "name",
        FROM: Names = "from",
        TO: Names = "to",
        SERVICE: Text = "service",
        DATA: Octets = "data",
        RESPONSE_DATA: Octets = "response_data",
        APDU_TIMEOUT: Time = "apdu_timeout",
        RETRIES: Whole = "retries",
        ARRIVALS: Inline = "arrivals",
        PROBE: Boolean = "probe",
    }
    event = "[[event]]" {
        NAME: Text = "name",
        AT: Time = "at",
        UNTIL: Time = "until",
        ACTION: Text = "action",
        STATIONS: Names = "stations",
    }
}
