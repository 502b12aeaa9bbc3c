//! AX.25: frames as bytes in [`wire`], their bits in [`hdlc`].

pub mod hdlc;
pub mod wire;
