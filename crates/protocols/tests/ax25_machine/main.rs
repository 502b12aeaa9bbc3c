//! AX.25 links on a hand clock.
//!
//! [`Lone`](lone::Lone) is one station whose frames and events are noted as it is given a frame: put it in a state,
//! give it this, expect exactly that. [`Radio`](radio::Radio) joins stations and digipeaters by a half-duplex channel
//! that loses the frames it is told to. Frames go through their bytes. What happens is noted in words.

mod any_input;
mod busy;
mod digipeating;
mod lone;
mod loss;
mod many;
mod negotiation;
mod older;
mod proxy;
mod radio;
mod recovery;
mod release;
mod selective;
mod set_up;
mod timing;
mod transfer;
mod words;
