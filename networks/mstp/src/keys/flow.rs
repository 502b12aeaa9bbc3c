//! Keys of a flow of BACnet services.

use super::{ASSUMED, STANDARD};
use sojourn_scenario::keys::common::SOME_TIME;
use sojourn_scenario::keys::{Key, Kind, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

/// Sizes of APDUs with context tags of objects up to instance 4194302, counted by clause 20 of the standard.
const COUNTED: &str = "ANSI/ASHRAE 135 clause 20: a REAL, 8 points for read-multiple";

/// Keys of `[[flow]]` beside its name, ends and arrivals.
pub const KEYS: &[Key] = &[
    key(
        "service",
        Kind::Word(&[
            word("read", "ReadProperty"),
            word("read-multiple", "ReadPropertyMultiple"),
            word("write", "WriteProperty"),
            word("cov", "unconfirmed COV notification: sent once, without a reply"),
            word("cov-confirmed", "confirmed COV notification"),
            word("who-is", "broadcast Who-Is: each receiver answers with I-Am"),
        ]),
        "BACnet service.",
    )
    .default("\"read\"", ASSUMED),
    key(
        "data",
        Kind::Quantity(Dimension::Size, between("2 B", "1497 B")),
        "Octets of the request or notification as NPDU, without the addresses that routers need.",
    )
    .by(
        "service",
        &[
            ("read", "\"13 B\""),
            ("read-multiple", "\"78 B\""),
            ("write", "\"22 B\""),
            ("cov", "\"36 B\""),
            ("cov-confirmed", "\"38 B\""),
            ("who-is", "\"8 B\""),
        ],
        COUNTED,
    ),
    key(
        "response_data",
        Kind::Quantity(Dimension::Size, between("2 B", "1497 B")),
        "Octets of the reply as NPDU; with Who-Is those of I-Am. An unconfirmed notification has none.",
    )
    .by(
        "service",
        &[
            ("read", "\"19 B\""),
            ("read-multiple", "\"133 B\""),
            ("write", "\"5 B\""),
            ("cov", "\"5 B\""),
            ("cov-confirmed", "\"5 B\""),
            ("who-is", "\"20 B\""),
        ],
        COUNTED,
    ),
    key("properties", Kind::Integer(1, 1000), "Properties that a request asks for, for `costs.reply_per_property`.")
        .by(
            "service",
            &[
                ("read", "1"),
                ("read-multiple", "8"),
                ("write", "1"),
                ("cov", "1"),
                ("cov-confirmed", "1"),
                ("who-is", "1"),
            ],
            ASSUMED,
        ),
    key("apdu_timeout", time(SOME_TIME), "APDU_Timeout: from a request to its first retry, and between retries.")
        .default("\"3 s\"", STANDARD),
    key("retries", Kind::Integer(0, 15), "Number_Of_APDU_Retries.").default("3", STANDARD),
    key(
        "outstanding",
        Kind::Integer(1, 255),
        "Requests of a sender to a receiver that wait for their replies at a time; further ones wait in the client.",
    )
    .default("1", ASSUMED),
];
