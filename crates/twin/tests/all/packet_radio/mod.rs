//! Captures of simulated packet radio: what an analysis finds in them, and the twins inferred from them.

mod round_trips;
mod sites;
mod twins;
