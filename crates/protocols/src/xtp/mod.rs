//! XTP, the Xpress Transport Protocol.

pub mod ip;
pub mod machine;
pub mod wire;
