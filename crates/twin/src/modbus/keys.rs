//! The keys of a Modbus scenario that a twin writes.

use crate::document::keys;

keys! {
    medium = "[[medium]]" {
        NAME: Text = "name",
        MODE: Text = "mode",
        BIT_RATE: LineRate = "bit_rate",
        PARITY: Text = "parity",
        STOP_BITS: Whole = "stop_bits",
        BIT_ERROR_RATE: ErrorRate = "bit_error_rate",
    }
    station = "[[station]]" { NAME: Text = "name", ON: List = "on", UNIT: Whole = "unit", DELAY: Varying = "delay" }
    flow = "[[flow]]" {
        NAME: Text = "name",
        FROM: Text = "from",
        TO: Names = "to",
        FUNCTION: Text = "function",
        COUNT: Whole = "count",
        BLOCKS: Whole = "blocks",
        GAP: Whole = "gap",
        BROADCAST: Boolean = "broadcast",
        TURNAROUND: Time = "turnaround",
        TIMEOUT: Time = "timeout",
        RETRIES: Whole = "retries",
        BETWEEN: Time = "between",
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
