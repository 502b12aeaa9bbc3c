//! The keys of a packet-radio scenario that a twin writes.

use crate::document::keys;

keys! {
    medium = "[[medium]]" {
        NAME: Text = "name",
        BIT_RATE: LineRate = "bit_rate",
        TXDELAY: Time = "txdelay",
        PERSISTENCE: Share = "persistence",
        SLOTTIME: Time = "slottime",
        BIT_ERROR_RATE: ErrorRate = "bit_error_rate",
    }
    station = "[[station]]" {
        NAME: Text = "name",
        TYPE: Text = "type",
        CALLSIGN: Text = "callsign",
        ON: List = "on",
        HEARS: List = "hears",
        VERSION: Text = "version",
        XID: Boolean = "xid",
        REJECT: Text = "reject",
        WINDOW: Whole = "window",
        FRACK: Time = "frack",
        RESPTIME: Time = "resptime",
        RETRY: Whole = "retry",
        RECOVERY: Text = "recovery",
        CHECK: Time = "check",
        PACLEN: Octets = "paclen",
        SERIAL_RATE: LineRate = "serial_rate",
        TURNAROUND: Time = "turnaround",
        NETROM: Inline = "netrom",
        ROSE: Inline = "rose",
    }
    netrom = "station.netrom" {
        ALIAS: Text = "alias",
        RADIO_QUALITY: Whole = "radio_quality",
        NODES_INTERVAL: Time = "nodes_interval",
        WINDOW: Whole = "window",
        TIMEOUT: Time = "timeout",
        ACK_DELAY: Time = "ack_delay",
    }
    rose = "station.rose" { ADDRESS: Text = "address", PACKET_SIZE: Octets = "packet_size" }
    flow = "[[flow]]" {
        NAME: Text = "name",
        FROM: Text = "from",
        TO: Text = "to",
        PATH: List = "path",
        SERVICE: Text = "service",
        DATA: Octets = "data",
        ARRIVALS: Inline = "arrivals",
    }
    probe = "[probe]" {
        FROM: Text = "from",
        TO: Text = "to",
        PATH: List = "path",
        SIZE: Octets = "size",
        ROUND_TRIPS: Whole = "round_trips",
        PAUSE: Time = "pause",
    }
}
