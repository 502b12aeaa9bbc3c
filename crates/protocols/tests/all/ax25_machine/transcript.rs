//! Frames and events as text.

use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

pub type Bytes = Vec<u8>;

/// `I 3,5 P`: a frame as a monitor prints it, without addresses.
pub fn of_frame(frame: &Frame<Bytes>) -> String {
    frame.to_string().split_once(": ").map(|(_, body)| body.to_string()).unwrap()
}

/// An event as text; `None` for outputs that concern only the driver.
pub fn of_event(output: &Output<Bytes>) -> Option<String> {
    Some(match output {
        Output::SeizeRequest | Output::Transmit { .. } => return None,
        Output::Connected { incoming, version, .. } => {
            let version = if *version == Version::V2_2 { ", v2.2" } else { "" };
            format!("connected{}{version}", if *incoming { ", incoming" } else { "" })
        }
        Output::Deliver { data, .. } => format!("delivers {}", String::from_utf8_lossy(data)),
        Output::Acknowledged { frames, .. } => format!("{frames} acknowledged"),
        Output::PeerBusy { busy: true, .. } => "peer busy".into(),
        Output::PeerBusy { busy: false, .. } => "peer ready".into(),
        Output::Reset { lost, .. } => format!("reset, {lost} lost"),
        Output::Disconnected { cause, lost, .. } => format!("disconnected ({cause:?}), {lost} lost"),
        Output::Unnumbered { data, .. } => format!("UI {}", String::from_utf8_lossy(data)),
        Output::TestResponse { data, .. } => format!("TEST response {}", String::from_utf8_lossy(data)),
        Output::Refused { refusal } => format!("refused: {refusal}"),
    })
}

pub fn address(text: &str) -> Address {
    text.parse().unwrap()
}
