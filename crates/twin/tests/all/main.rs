//! Simulations and their captures: what an analysis finds in them, and the twins inferred from them.

mod can;
mod ip;
mod lontalk;
mod modbus;
mod mstp;
mod packet_radio;
mod rates;
mod simulated;
mod twin_of;
