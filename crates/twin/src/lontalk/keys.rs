//! The keys of a LonTalk scenario that a twin writes.

use crate::document::keys;

keys! {
    medium = "[[medium]]" { NAME: Text = "name", CHANNEL: Text = "channel", DOMAIN_LENGTH: Whole = "domain_length" }
    station = "[[station]]" {
        NAME: Text = "name",
        COUNT: Whole = "count",
        ON: List = "on",
        ROUTER: Text = "router",
        INPUT_CLOCK: Megahertz = "input_clock",
        RECEIVE_RECORDS: Whole = "receive_records",
        BUFFERS: Inline = "buffers",
    }
    buffers = "station.buffers" {
        APPLICATION_INPUT: Whole = "application_input",
        NETWORK_INPUT: Whole = "network_input",
        NETWORK_OUTPUT: Whole = "network_output",
    }
    flow = "[[flow]]" {
        NAME: Text = "name",
        FROM: Text = "from",
        TO: Names = "to",
        ADDRESSING: Text = "addressing",
        SERVICE: Text = "service",
        AUTHENTICATED: Boolean = "authenticated",
        PRIORITY: Boolean = "priority",
        MESSAGE: Text = "message",
        DATA: Octets = "data",
        RESPONSE_DATA: Octets = "response_data",
        REPEAT_TIMER: Time = "repeat_timer",
        REPEATS: Whole = "repeats",
        TRANSACTION_TIMER: Time = "transaction_timer",
        RETRIES: Whole = "retries",
        ARRIVALS: Inline = "arrivals",
        PROBE: Boolean = "probe",
    }
}
