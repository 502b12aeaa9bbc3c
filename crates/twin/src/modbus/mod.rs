//! The twin of a Modbus line.

pub(crate) mod keys;
mod survey;
mod write;

pub(super) use self::survey::Modbus;
