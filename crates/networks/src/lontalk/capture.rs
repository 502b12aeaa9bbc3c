//! What a capture shows: every correct packet of every medium, as bytes, at the instant it ended.

use sojourn_core::Time;
use sojourn_protocols::UserData;
use sojourn_protocols::lontalk::wire::APDU_LIMIT;

use super::simulation::Simulation;
use super::station::Frame;

impl Simulation<'_, '_> {
    /// Hands a packet to the capture, if there is one.
    pub(super) fn emit_capture(&mut self, now: Time, frame: &Frame) {
        let Some(sink) = self.capture.as_deref_mut() else { return };
        let data = frame.packet.body.apdu().map(|apdu| apdu.data);
        let mut user = [0; APDU_LIMIT];
        let length = data.map_or(0, |data| usize::from(data.length));
        if let Some(data) = data {
            data.emit(&mut user[..length]);
        }
        let packet = frame.packet.map(|_| &user[..length]);
        let bytes = packet.to_bytes().expect("the machine sends only what has bytes");
        sink.frame(now, &bytes);
    }
}
