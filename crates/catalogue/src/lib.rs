//! Every network, one row each. A user writes `kind = "lontalk"`.

use sojourn_model::Network;

/// Every network, one row each, in alphabetical order of its kind.
pub static NETWORKS: &[&dyn Network] = &[
    &sojourn_fddi::FddiNetwork,
    &sojourn_fddi::adapter::FddiAdapterNetwork,
    &sojourn_lan::ip::IpNetwork,
    &sojourn_lontalk::LonTalkNetwork,
    &sojourn_packet_radio::PacketRadioNetwork,
    &sojourn_queue::QueueNetwork,
    &sojourn_lan::switched::SwitchedLanNetwork,
];

/// Every network.
pub fn registry() -> &'static [&'static dyn Network] {
    NETWORKS
}

/// The network of a `kind`.
pub fn find(kind: &str) -> Option<&'static dyn Network> {
    NETWORKS.iter().copied().find(|network| network.information().kind == kind)
}
