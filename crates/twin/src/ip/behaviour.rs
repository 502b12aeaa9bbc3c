//! The behaviour that a simulation of an IP twin must reproduce, and whether it can.

use super::super::behaviour::Transfers;
use super::flows::Flows;
use super::survey::Survey;

/// What the transfers of a surveyed network carried.
pub(super) fn transfers(survey: &Survey) -> Transfers {
    let mut carried = Transfers::default();
    for transfer in Flows::new(survey).transfers {
        let side = transfer.sending();
        carried.octets += side.octets;
        carried.segments += side.segments;
        carried.lost += transfer.lost(survey);
    }
    carried
}

/// Whether the point of capture is beside the clients of all requests: response times there are those of clients.
pub(super) fn is_beside_clients(survey: &Survey) -> bool {
    Flows::new(survey).loops().all(|echo| survey.hops(echo.key.client, echo.key.server) == 0)
}
