mod datagrams;
mod losses;
mod recorded;
mod script;
mod sessions;
mod tshark;
