//! Trunks beside arithmetic, their failures, their requests and their bounds.

mod arithmetic;
mod blind;
mod bounds;
mod events;
mod mistakes;
mod polls;
mod requests;
mod support;
