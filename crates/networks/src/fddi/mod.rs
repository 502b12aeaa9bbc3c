//! FDDI: a ring of stations that pass a token at 100 Mbit/s.

pub mod ring;
