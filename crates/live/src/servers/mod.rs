//! What answers those who measure: the agent of `sojourn://`, and reflectors of STAMP and UDP echo.

pub mod agent;
pub mod reflector;
