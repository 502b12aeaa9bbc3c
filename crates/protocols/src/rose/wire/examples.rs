//! One packet of every type, for tests, the fuzz corpus and captures.

use std::sync::Arc;

use super::{Body, Call, Cause, Diagnostic, Facilities, NetworkAddress, Packet, Subscriber};
use crate::ax25::wire::{Address, Digipeaters};

fn number(text: &str) -> NetworkAddress {
    text.parse().unwrap_or_default()
}

/// One packet of every type by name; CALL REQUEST with few facilities and with all.
pub fn examples() -> Vec<(&'static str, Packet<&'static [u8]>)> {
    let reason = (Cause::NOT_OBTAINABLE, Diagnostic::INVALID_CALLED_ADDRESS);
    let (cause, diagnostic) = reason;
    let failed = Facilities { failed_address: Some(number("3100201256")), ..Facilities::default() };
    let on = Packet::new;
    vec![
        ("call request", on(1, Body::CallRequest(Arc::new(call(Facilities::default()))))),
        ("call request with digipeaters", on(0x123, Body::CallRequest(Arc::new(call(digipeaters()))))),
        ("call accepted", on(1, Body::CallAccepted)),
        ("clear request", on(1, Body::ClearRequest { cause, diagnostic, facilities: None })),
        (
            "clear request with the failed address",
            on(1, Body::ClearRequest { cause, diagnostic, facilities: Some(Arc::new(failed)) }),
        ),
        ("clear confirmation", on(1, Body::ClearConfirmation)),
        ("data", on(1, Body::Data { p_s: 3, p_r: 5, more: false, data: b"ping" })),
        (
            "data with all bits",
            Packet {
                q_bit: true,
                d_bit: true,
                channel: 0xfff,
                body: Body::Data { p_s: 7, p_r: 7, more: true, data: b"" },
            },
        ),
        ("receive ready", on(1, Body::ReceiveReady { p_r: 4 })),
        ("receive not ready", on(1, Body::ReceiveNotReady { p_r: 4 })),
        ("reject", on(1, Body::Reject { p_r: 4 })),
        ("interrupt", on(1, Body::Interrupt(&b"!"[..]))),
        ("interrupt confirmation", on(1, Body::InterruptConfirmation)),
        ("reset request", on(1, Body::ResetRequest { cause: Cause::DTE_ORIGINATED, diagnostic: Diagnostic(2) })),
        ("reset confirmation", on(1, Body::ResetConfirmation)),
        ("restart request", on(0, Body::RestartRequest { cause: Cause::DTE_ORIGINATED, diagnostic: Diagnostic(0) })),
        ("restart confirmation", on(0, Body::RestartConfirmation)),
        ("diagnostic", on(0, Body::Diagnostic { code: Diagnostic(36), header: Some([0x10, 0x09, 0x01]) })),
    ]
}

fn call(facilities: Facilities) -> Call {
    let station = |callsign, ssid| Address::new(callsign, ssid).ok();
    let (called, calling) = (number("3100201256"), number("3100908001"));
    let subscriber = |address, station: Option<Address>| station.map(|station| Subscriber { address, station });
    Call {
        called,
        calling,
        facilities: Facilities {
            destination: subscriber(called, station("PONG", 2)),
            source: subscriber(calling, station("PING", 0)),
            ..facilities
        },
    }
}

fn digipeaters() -> Facilities {
    let list = |names: &[&str]| {
        let addresses: Vec<Address> = names.iter().filter_map(|name| name.parse().ok()).collect();
        Digipeaters::new(&addresses).unwrap_or_default()
    };
    Facilities {
        random: 0x1234,
        source_digipeaters: list(&["DIGI1", "DIGI2-7"]),
        destination_digipeaters: list(&["DIGI3-15"]),
        failed_call: "PONG-2".parse().ok(),
        failed_address: Some(number("3100201")),
        ..Facilities::default()
    }
}
