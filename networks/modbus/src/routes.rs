//! From a client to a server: over a line or a connection that both have, or over a gateway.

use super::site::{ConnectionSettings, Medium, MediumKind, Station};

/// What a client uses to reach a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The client's line or connection.
    pub first: ConnectionSettings,
    /// The gateway's line, if there is one between them.
    pub second: Option<ConnectionSettings>,
}

/// The route between two stations: a common line before a common network of TCP before the first gateway in the order of
/// the scenario. None where there is no route.
pub fn route(media: &[Medium], stations: &[Station], client: usize, server: usize) -> Option<Route> {
    let is_line = |medium: usize| matches!(media[medium].kind, MediumKind::Line(_));
    let common = |one: usize, other: usize, line: bool| {
        stations[one].on.iter().copied().find(|medium| is_line(*medium) == line && stations[other].on.contains(medium))
    };
    let on_line = |station: usize, medium: usize| ConnectionSettings { station, medium, host: None };
    if let Some(medium) = common(client, server, true) {
        return Some(Route { first: on_line(client, medium), second: None });
    }
    let over_tcp = |host: usize| {
        let medium = common(client, host, false)?;
        Some(ConnectionSettings { station: client, medium, host: Some(host) })
    };
    if let Some(first) = over_tcp(server) {
        return Some(Route { first, second: None });
    }
    let gateways = (0..stations.len()).filter(|&gateway| gateway != client && gateway != server);
    gateways.into_iter().find_map(|gateway| {
        let second = on_line(gateway, common(gateway, server, true)?);
        Some(Route { first: over_tcp(gateway)?, second: Some(second) })
    })
}
