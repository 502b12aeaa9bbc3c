//! Messages and frames in flight.

use sojourn_core::{Time, clone_fields};
use sojourn_model::slab::{NONE, Slab};
use sojourn_protocols::StreamRange;
use sojourn_protocols::can::canopen::{Block, Sdo};
use sojourn_protocols::can::frame::{Id, Length};
use sojourn_protocols::can::isotp::Pdu;
use sojourn_protocols::can::j1939::{Control, DATA_TRANSFER};

use crate::latency_budget::{Component, LatencyBudget};
use crate::site::Hop;

/// A message that has been offered and is not settled.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// Its source.
    pub source: u32,
    /// When the application sent it.
    pub started: Time,
    /// Receivers that have neither handled it nor will not.
    pub left: u32,
    /// Receivers that have handled it.
    pub handled: u32,
    /// Its bytes.
    pub size: u16,
    /// Whether it was offered after the warm-up.
    pub counted: bool,
}

/// A frame that waits, is on a bus or is being processed.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Its source.
    pub source: u32,
    /// Its message; none of a session, which has its own.
    pub message: u32,
    /// The turn of the session that it belongs to.
    pub turn: u32,
    /// Where it is on its path.
    pub hop: u32,
    /// The delay budget of a probe.
    pub budget: u32,
    /// Which frame of its source it is.
    pub number: u32,
    /// Its bits on the bus that it waits for.
    pub length: Length,
    /// Data bytes; of a remote frame its code.
    pub bytes: u8,
    /// What it says.
    pub carried: Carried,
    /// The number of the receiver that it is from or for.
    pub receiver: u16,
    /// Whether it is from a receiver.
    pub is_back: bool,
    /// Whether its sender is notified when it is transmitted.
    pub confirms: bool,
    /// Whether a station that it is for has received it.
    pub is_received: bool,
}

/// What a frame says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Carried {
    /// A message, or the answer to a remote frame.
    Data,
    /// A remote frame.
    Request,
    /// A service data object.
    Sdo(Sdo),
    /// A part of a block of a service data object.
    Block(Block),
    /// A part of a message of ISO-TP.
    IsoTp(Pdu<StreamRange>),
    /// Connection management of J1939.
    Control(Control),
    /// A packet of J1939.
    Packet(u8),
}

/// What an end of a session does.
#[derive(Clone, Copy, Debug)]
pub enum Act {
    /// The sender transmits.
    Forth(Carried),
    /// A receiver transmits.
    Back(u16, Carried),
    /// A receiver has the message, or of a request the sender.
    Complete,
    /// It has failed.
    Failed,
}

impl Carried {
    /// Whether a frame of a receiver begins its answer to a request.
    pub const fn begins_answer(&self) -> bool {
        match self {
            Carried::Data => true,
            Carried::Sdo(sdo) => matches!(sdo, Sdo::Uploaded(..) | Sdo::BeginUpload(..) | Sdo::Downloaded(_)),
            Carried::Block(block) => matches!(block, Block::Started(..)),
            Carried::IsoTp(pdu) => matches!(pdu, Pdu::Single(_) | Pdu::First(..)),
            Carried::Request | Carried::Control(_) | Carried::Packet(_) => false,
        }
    }
}

impl Default for Frame {
    fn default() -> Self {
        Frame {
            source: NONE,
            message: NONE,
            turn: 0,
            hop: NONE,
            budget: NONE,
            number: 0,
            length: Length::default(),
            bytes: 0,
            carried: Carried::Data,
            receiver: 0,
            is_back: false,
            confirms: false,
            is_received: false,
        }
    }
}

impl Frame {
    /// Its identifier on a bus: packets of J1939 have a parameter group of their own.
    #[inline]
    pub fn id(&self, hop: &Hop) -> Id {
        match (self.carried, hop.id) {
            (Carried::Packet(_), Id::Extended(id)) => Id::Extended(id & !0x00ff_0000 | DATA_TRANSFER << 8),
            (_, id) => id,
        }
    }

    /// Whether it is a remote frame.
    #[inline]
    pub fn is_remote(&self) -> bool {
        matches!(self.carried, Carried::Request)
    }
}

/// All of them.
#[derive(Debug, Default)]
pub struct InFlight {
    /// Messages.
    pub messages: Slab<Message>,
    /// Frames.
    pub frames: Slab<Frame>,
    /// Delay budgets of probes.
    pub budgets: Slab<LatencyBudget>,
}

clone_fields!([] InFlight { messages, frames, budgets });

impl InFlight {
    /// Charges the time up to `now` to a component of a budget, if it is one.
    #[inline]
    pub fn account(&mut self, budget: u32, component: Component, now: Time) {
        if budget != NONE {
            self.budgets[budget].account(component, now);
        }
    }

    /// Another budget like this one.
    #[inline]
    pub fn copy_budget(&mut self, budget: u32) -> u32 {
        match budget {
            NONE => NONE,
            budget => {
                let copied = self.budgets[budget];
                self.budgets.insert(copied)
            }
        }
    }

    /// Removes a frame with its budget.
    #[inline]
    pub fn release(&mut self, frame: u32) -> Frame {
        let released = self.frames.remove(frame);
        if released.budget != NONE {
            self.budgets.remove(released.budget);
        }
        released
    }
}
