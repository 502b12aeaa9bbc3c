//! Frames and events in a few words.

use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

pub type Bytes = Vec<u8>;

/// `I 3,5 P`: N(S) 3, N(R) 5, polls. `RR 4 F`: N(R) 4, final.
pub fn of_frame(frame: &Frame<Bytes>) -> String {
    let numbers = match &frame.body {
        Body::I { send, receive, .. } => format!(" {send},{receive}"),
        Body::S { receive, further, modulo, .. } => {
            let list: Vec<String> = further.from_on(*receive, *modulo).map(|number| format!("+{number}")).collect();
            format!(" {receive}{}", list.concat())
        }
        Body::Frmr(Some(FrameReject { reasons, .. })) => {
            let marks = [(reasons.control, 'W'), (reasons.information, 'X'), (reasons.too_long, 'Y')];
            let marks = marks.into_iter().chain([(reasons.receive_number, 'Z')]);
            format!(" {}", marks.filter(|(set, _)| *set).map(|(_, mark)| mark).collect::<String>())
        }
        _ => String::new(),
    };
    let flag = match (frame.poll_final, frame.addressing.role) {
        (false, _) => "",
        (true, Role::Response) => " F",
        (true, _) => " P",
    };
    format!("{}{numbers}{flag}", frame.body.name())
}

/// What happened, or nothing of what only the driver heeds.
pub fn of_event(output: &Output<Bytes>) -> Option<String> {
    Some(match output {
        Output::WantsChannel | Output::Transmit { .. } => return None,
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
        Output::TestAnswered { data, .. } => format!("gets {} back", String::from_utf8_lossy(data)),
        Output::Refused { refusal } => format!("refused: {refusal}"),
    })
}

pub fn address(text: &str) -> Address {
    text.parse().unwrap()
}
