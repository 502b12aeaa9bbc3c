mod datagrams;
mod losses;
mod recorded;
mod round_trip;
mod script;
mod sessions;
mod tshark;
mod twins;
