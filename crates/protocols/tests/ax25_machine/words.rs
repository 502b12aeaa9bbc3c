//! Frames and events in a few words.

use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

pub type Bytes = Vec<u8>;

/// `I 3,5 P`: what a monitor prints after the addresses.
pub fn of_frame(frame: &Frame<Bytes>) -> String {
    frame.to_string().split_once(": ").map(|(_, words)| words.to_string()).unwrap()
}

/// What happened, or nothing of what only the driver heeds.
pub fn of_event(output: &Output<Bytes>) -> Option<String> {
    Some(match output {
        Output::SeizeRequest | Output::Transmit { .. } => return None,
        Output::Connected { incoming, version, .. } => {
            let version = if *version == Version::V2_2 { ", v2.2" } else { "" };
            format!("connected{}{version}", if *incoming { " by the other" } else { "" })
        }
        Output::Deliver { data, .. } => format!("delivers {}", String::from_utf8_lossy(data)),
        Output::Acknowledged { frames, .. } => format!("has {frames} acknowledged"),
        Output::PeerBusy { busy: true, .. } => "is held".into(),
        Output::PeerBusy { busy: false, .. } => "is let go".into(),
        Output::Reset { lost, .. } => format!("is reset, {lost} lost"),
        Output::Disconnected { cause, lost, .. } => format!("disconnected ({cause:?}), {lost} lost"),
        Output::Unnumbered { data, .. } => format!("hears {}", String::from_utf8_lossy(data)),
        Output::TestResponse { data, .. } => format!("gets {} back", String::from_utf8_lossy(data)),
        Output::Refused { refusal } => format!("refused: {refusal}"),
    })
}

pub fn address(text: &str) -> Address {
    text.parse().unwrap()
}
