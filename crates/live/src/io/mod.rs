//! Input and output: sockets, kernel timestamps, clocks and timers.
//!
//! 1. [`clock`] is the monotonic clock, [`wall_clock`] converts the kernel's timestamps to it, [`host_clock`] has the error of
//!    the wall clock, [`alarm`] is a timer, and [`cpu_idle`] keeps processors out of their idle states;
//! 2. [`datagrams`] is a UDP socket with kernel timestamps, traffic class, GSO and GRO; [`addresses`] has the address of this
//!    host that a datagram was sent to;
//! 3. [`packet_io`] is what a [`drive`]r of a protocol machine sends and receives by, [`link`] the simplest of those, a UDP
//!    or raw IP socket; [`injected_loss`] drops outgoing datagrams on purpose;
//! 4. [`serial`] opens a serial line, [`line`] is a stream of octets over one, or over TCP, that is opened again when it was
//!    lost, [`echo`] takes out what an adapter receives of its own sending;
//! 5. [`can`] carries CAN frames, on an interface of this host or in a multicast group;
//! 6. [`network_error`] and [`listen_error`] name what the operating system and the network refuse.

pub mod addresses;
pub mod alarm;
pub mod can;
pub mod clock;
pub mod cpu_idle;
pub mod datagrams;
pub mod drive;
pub mod echo;
pub mod host_clock;
pub mod injected_loss;
pub mod line;
pub mod link;
pub mod listen_error;
pub mod network_error;
pub mod packet_io;
pub mod serial;
pub mod wall_clock;
