//! The agent of `sojourn://` on loopback: those who measure with it, and those who mean harm.

mod hostile;
mod hostile_streams;
mod marks;
mod measuring;
mod measuring_over_tcp;
mod refused;
mod rotation;
mod served;
mod streams;
