//! AX.25 links on a manual clock.
//!
//! [`Lone`](lone::Lone) is one station whose frames and events are logged after each input: put it in a state, pass it a
//! frame, expect exactly these frames and events. [`Radio`](radio::Radio) connects stations and digipeaters by a
//! half-duplex channel that loses selected frames. Frames are encoded and parsed. Events are logged as text.

mod any_input;
mod busy;
mod digipeating;
mod lone;
mod loss;
mod many;
mod negotiation;
mod pre_v2;
mod proxy;
mod radio;
mod recovery;
mod release;
mod selective;
mod set_up;
mod timing;
mod transcript;
mod transfer;
