//! What every measurement by the clock shares, whoever answers.
//!
//! 1. a [`Peer`](peer::Peer) sends requests and reads answers; most are a [`Form`](speaker::Form) of datagram over a
//!    [`Speaker`](speaker::Speaker), over a [`Chorus`](chorus::Chorus) where a group answers, or over an
//!    [`Exchange`](exchange::Exchange) on a connection;
//! 2. [`datagrams`] are a socket with the kernel's stamps, brought by [`wall`] to the clock of the measurement;
//! 3. a [`Plan`](plan::Plan) says what is measured, a [`schedule`] when requests leave, the [`pacer`] sees that they do
//!    with an [`Alarm`](alarm::Alarm), [`probing`] is the loop that sends and hears, and a [`Loader`](loader::Loader) loads the network meanwhile;
//! 4. [`packets`] become [`measures`], with an [`estimate`] of the other clock, [`traces`] of their course over time, and
//!    [`voice`] what a listener had of them;
//! 5. the [`calibration`] of this host comes first, a [`Gauge`](crate::gauge::Gauge) shows a watcher what happens.
//!
//! [`Measurement`](measure::Measurement) is all of it in order.

pub mod alarm;
pub mod calibration;
pub mod chorus;
pub mod datagrams;
pub mod estimate;
pub mod exchange;
pub mod loader;
pub mod measure;
mod measures;
pub mod pacer;
pub mod packets;
pub mod peer;
pub mod plain;
pub mod plan;
mod probing;
pub mod schedule;
pub mod speaker;
mod traces;
pub mod voice;
pub mod wall;
