//! Packets and events as text.

use sojourn_protocols::ax25::wire::{Address, Digipeaters};
use sojourn_protocols::rose::machine::*;
use sojourn_protocols::rose::wire::*;

pub type Octets = Vec<u8>;

pub fn number(text: &str) -> NetworkAddress {
    text.parse().unwrap()
}

pub fn station(text: &str) -> Address {
    text.parse().unwrap()
}

/// PING calls PONG at this number.
pub fn ping_calls_pong(address: &str) -> UserCall {
    UserCall {
        caller: station("PING"),
        called: station("PONG"),
        address: number(address),
        near: Digipeaters::NONE,
        far: Digipeaters::NONE,
    }
}

fn text(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

/// A packet without its channel, as "DATA 0 0 ping" with P(S) and P(R).
pub fn of_body(body: &Body<Octets>) -> String {
    let name = body.name();
    match body {
        Body::ClearRequest { cause, diagnostic, .. }
        | Body::ResetRequest { cause, diagnostic }
        | Body::RestartRequest { cause, diagnostic } => format!("{name} ({cause:?}, {})", diagnostic.0),
        Body::Data { p_s, p_r, more, data } => {
            format!("{name} {p_s} {p_r}{} {}", if *more { " M" } else { "" }, text(data))
        }
        Body::ReceiveReady { p_r } | Body::ReceiveNotReady { p_r } | Body::Reject { p_r } => {
            format!("{name} {p_r}")
        }
        Body::Interrupt(data) => format!("{name} {}", text(data)),
        Body::Diagnostic { code, .. } => format!("{name} {}", code.0),
        _ => name.to_string(),
    }
}

/// An event, without the name of its user or link.
pub fn of_event(output: &Output<Octets>) -> String {
    match output {
        Output::Transmit { packet, .. } => format!("{}: {}", packet.channel, of_body(&packet.body)),
        Output::TrunkReady { .. } => "trunk ready".into(),
        Output::TrunkFailed { .. } => "trunk failed".into(),
        Output::CallUser { call, .. } => format!("calls {} for {} at {}", call.called, call.caller, call.address),
        Output::CallConnected { .. } => "call connected".into(),
        Output::Deliver { data, more, .. } => format!("delivers {}{}", text(data), if *more { " M" } else { "" }),
        Output::SetUserBusy { busy, .. } => if *busy { "stops the user" } else { "releases the user" }.into(),
        Output::DisconnectUser { reason, .. } => {
            let place = reason.address.map_or(String::new(), |address| format!(" at {address}"));
            format!("disconnects the user: {:?}, {}{place}", reason.cause, reason.diagnostic.0)
        }
    }
}
