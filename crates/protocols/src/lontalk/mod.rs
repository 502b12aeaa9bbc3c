//! LonTalk, ISO/IEC 14908-1: packets as bytes in [`wire`] and over IP in [`lonip`], coded times in [`timer`], buffers in [`buffer`], the
//! proof of identity in [`authentication`], layers 3 to 7 of a node in [`machine`].

pub mod authentication;
pub mod buffer;
pub mod lonip;
pub mod machine;
pub mod timer;
pub mod wire;
