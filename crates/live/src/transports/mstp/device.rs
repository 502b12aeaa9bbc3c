//! A device that answers ReadProperty of any object by a number, and names itself.

use sojourn_core::Time;
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::bacnet::{Npdu, Object, Value, i_am, read_property_ack, requested, who_is};
use sojourn_protocols::mstp::BROADCAST;
use sojourn_protocols::mstp::machine::{Delivery, Input};
use sojourn_protocols::mstp::wire::{Frame, FrameType};

use super::asking::{UNRECOGNIZED_SERVICE, asked};
use super::node::Application;
use super::url::Answers;
use crate::progress::watch::Watch;
use crate::transport::Listening;

/// The type of device objects, and the property that is their identifier.
const DEVICE: u16 = 8;
const OBJECT_IDENTIFIER: u32 = 75;
/// What every other property holds.
const VALUE: f32 = 21.5;

/// The device.
pub struct Device<'a> {
    served: Answers,
    listening: &'a Listening,
    watch: &'a Watch,
    frames: &'a mut dyn FrameSink,
    answered: u64,
}

impl<'a> Device<'a> {
    /// A device that has answered nothing yet.
    pub fn new(
        served: Answers,
        listening: &'a Listening,
        watch: &'a Watch,
        frames: &'a mut dyn FrameSink,
    ) -> Device<'a> {
        Device { served, listening, watch, frames, answered: 0 }
    }

    /// Requests answered.
    pub const fn answered(&self) -> u64 {
        self.answered
    }

    fn answer(&self, data: &[u8]) -> Option<Vec<u8>> {
        if let Some((invoke, object, property)) = requested(data) {
            let own = Object::device(self.served.instance);
            let is_own = object.kind == DEVICE && [own.instance, Object::ANY_INSTANCE].contains(&object.instance);
            let value = if is_own && property.0 == OBJECT_IDENTIFIER { Value::Object(own) } else { Value::Real(VALUE) };
            return Some(read_property_ack(invoke, if is_own { own } else { object }, property, value));
        }
        let invoke = asked(data)?;
        Some([&Npdu::local(false)[..], &[0x60, invoke, UNRECOGNIZED_SERVICE]].concat())
    }
}

impl Application for Device<'_> {
    fn poll(&mut self, _now: Time) -> Option<Input<Vec<u8>>> {
        None
    }

    fn deliver(&mut self, _now: Time, delivery: Delivery<Vec<u8>>) -> Vec<Input<Vec<u8>>> {
        let Delivery { kind, source, broadcast, data, .. } = delivery;
        if kind.is_request() && !broadcast {
            let Some(data) = self.answer(&data) else { return Vec::new() };
            self.answered += 1;
            self.watch.set_done(self.answered);
            let reply = Input::Reply { destination: source, data };
            return if self.served.postpones { vec![Input::Postpone, reply] } else { vec![reply] };
        }
        if who_is(&data, self.served.instance) {
            let data = i_am(self.served.instance);
            return vec![Input::Send { kind: FrameType::DataNotExpectingReply, destination: BROADCAST, data }];
        }
        Vec::new()
    }

    fn frame(&mut self, now: Time, frame: &Frame<&[u8]>, _is_own: bool) {
        if let Ok(octets) = frame.to_bytes() {
            self.frames.frame(now, &octets);
        }
    }

    fn is_over(&self, now: Time) -> bool {
        self.listening.is_over(self.watch, now, self.answered)
    }
}
