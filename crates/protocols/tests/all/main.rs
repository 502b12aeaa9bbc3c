//! Byte vectors of every wire format, and dialogues of the protocol machines on a hand clock.

mod atm_abr;
mod atm_wire;
mod ax25_hdlc;
mod ax25_machine;
mod ax25_wire;
mod fddi_wire;
mod fuzz_corpus;
mod fx25;
mod il2p;
mod kiss;
mod lontalk_machine;
mod lontalk_wire;
mod mstp_machine;
mod mstp_wire;
mod netrom_machine;
mod netrom_wire;
mod probe_machine;
mod probe_wire;
mod rose_machine;
mod rose_wire;
mod stamp;
mod tcp_machine;
mod tcp_wire;
mod xtp_machine;
mod xtp_wire;
