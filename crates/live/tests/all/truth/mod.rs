//! Figures of a measurement through the network emulator, held against the emulator's record of every packet.
//!
//! The emulator is the relay, which forwards datagrams between two sockets. Where addresses, links or ICMP matter, client and
//! agent are in two network namespaces with a veth pair between them, and the relay stands at one of its ends: then these are
//! the kernel's own, and the record is still of every datagram. A variant over TUN devices would pass whole IP packets, but
//! no figure here depends on more of a packet than its addresses and its datagram; fragments are put together by the kernel
//! before the agent, as before the relay. The tests in namespaces pass where the rights to create them are missing.

mod clocks;
mod directions;
mod irtt;
mod load;
mod network;
mod outages;
mod path;
mod record;
mod synchronized;
mod table;
mod voice;
mod windows;
