//! Measurements, agents, reflectors and links over real sockets of this host, and in network namespaces of their own.

mod agent;
mod agent_floods;
mod agent_soak;
mod ax25_over_axudp;
mod ax25_over_kiss;
mod bus;
mod can;
mod client;
mod fuzz_corpus;
mod group;
mod measuring;
mod mesh;
mod modbus;
mod mstp;
mod namespaces;
mod reflector;
mod reflectors;
mod relay;
#[cfg(feature = "services")]
mod services;
mod sojourn_agent;
mod truth;
mod voice;
mod waiting;
mod xtp_over_udp;
