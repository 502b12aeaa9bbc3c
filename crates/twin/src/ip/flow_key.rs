//! The key of a flow of requests.

use std::net::IpAddr;

use sojourn_capture::Service;

/// Who sends requests, who answers them, and what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FlowKey {
    pub client: IpAddr,
    pub server: IpAddr,
    pub service: Service,
}
