mod datagrams;
mod losses;
mod round_trip;
mod script;
mod sessions;
mod tshark;
