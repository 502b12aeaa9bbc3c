//! The behaviour that a simulation of an IP twin must reproduce, and whether it can.

use super::super::behaviour::Transfers;
use super::flows::{Flows, is_bulk};
use super::side::Side;
use super::survey::{Measured, Survey};

/// What the transfers of a surveyed network carried, and how long they took.
pub(super) fn transfers(survey: &Survey) -> Transfers {
    let mut carried = Transfers::default();
    let mut add = |side: &Side, lost: u64| {
        carried.octets += side.octets;
        carried.segments += side.segments;
        carried.lost += lost;
        carried.seconds += side.seconds();
    };
    match survey.measured {
        Measured::Lasting => {
            Flows::new(survey).transfers.iter().for_each(|transfer| add(transfer.sending(), transfer.lost(survey)));
        }
        Measured::All => {
            let all = survey.all_connections().filter(|connection| is_bulk(connection));
            all.map(|connection| &connection.sides[connection.sender()]).for_each(|side| add(side, side.lost_before));
        }
    }
    carried
}

/// Whether the point of capture is beside the clients of all requests: response times there are those of clients.
pub(super) fn is_beside_clients(survey: &Survey) -> bool {
    Flows::new(survey).loops().all(|echo| survey.hops(echo.key.client, echo.key.server) == 0)
}
