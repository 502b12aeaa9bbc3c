//! The keys of a scenario of CAN that a twin writes.

use crate::document::keys;

keys! {
    medium = "[[medium]]" {
        NAME: Text = "name",
        BIT_RATE: LineRate = "bit_rate",
        DATA_BIT_RATE: LineRate = "data_bit_rate",
        STUFFING: Text = "stuffing",
        BIT_ERROR_RATE: ErrorRate = "bit_error_rate",
    }
    station = "[[station]]" { NAME: Text = "name", ON: List = "on", COSTS: Inline = "costs" }
    costs = "station.costs" { SEND: Time = "send", RECEIVE: Time = "receive", ANSWER: Varying = "answer" }
    flow = "[[flow]]" {
        NAME: Text = "name",
        FROM: Text = "from",
        TO: Names = "to",
        ID: Hexadecimal = "id",
        ID_STEP: Whole = "id_step",
        EXTENDED: Boolean = "extended",
        RESPONSE_ID: Hexadecimal = "response_id",
        FD: Boolean = "fd",
        BRS: Boolean = "brs",
        SERVICE: Text = "service",
        DATA: Octets = "data",
        RESPONSE_DATA: Octets = "response_data",
        PAYLOAD: Text = "payload",
        BLOCK_SIZE: Whole = "block_size",
        SEPARATION: Time = "separation",
        PACKET_INTERVAL: Time = "packet_interval",
        WINDOW: Whole = "window",
        ARRIVALS: Inline = "arrivals",
        PROBE: Boolean = "probe",
    }
}
