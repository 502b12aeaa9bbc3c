//! Measurement servers: the agent of `sojourn://`, and reflectors for STAMP and UDP echo.

pub mod agent;
pub mod reflector;
