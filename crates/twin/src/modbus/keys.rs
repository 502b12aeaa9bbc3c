//! The keys of a Modbus scenario that a twin writes.

use crate::document::keys;

keys! {
    medium = "[[medium]]" { NAME: Text = "name", MODE: Text = "mode", BIT_RATE: LineRate = "bit_rate" }
    station = "[[station]]" { NAME: Text = "name", UNIT: Whole = "unit", DELAY: Time = "delay" }
    flow = "[[flow]]" {
        NAME: Text = "name",
        FROM: Text = "from",
        TO: Names = "to",
        FUNCTION: Text = "function",
        COUNT: Whole = "count",
        TIMEOUT: Time = "timeout",
        RETRIES: Whole = "retries",
        ARRIVALS: Inline = "arrivals",
        PROBE: Boolean = "probe",
    }
}
