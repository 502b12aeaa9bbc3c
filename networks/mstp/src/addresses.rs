//! Addresses of stations on their trunks: written ones, and those after the highest before.

use sojourn_protocols::mstp::HIGHEST_MASTER;
use sojourn_scenario::{Member, Problem, Scenario};

/// The highest address of a slave.
const HIGHEST_SLAVE: u64 = 254;

/// Addresses given so far.
#[derive(Debug)]
pub(super) struct Addresses {
    /// By medium, who has an address.
    taken: Vec<Vec<Option<String>>>,
    /// By medium, the next address of a master and of a slave without one.
    next: Vec<[u64; 2]>,
}

impl Addresses {
    /// None is given yet.
    pub fn new(media: usize) -> Addresses {
        let first_slave = u64::from(HIGHEST_MASTER) + 1;
        Addresses { taken: vec![vec![None; 256]; media], next: vec![[0, first_slave]; media] }
    }

    /// The address of a member on a medium, or why it has none.
    pub fn take(
        &mut self,
        scenario: &Scenario,
        member: &Member<'_>,
        medium: usize,
        is_slave: bool,
    ) -> Result<u8, Problem> {
        let table = member.station;
        let step = table.integer("address_step");
        let base = &scenario.list("station")[member.index];
        let written = table.optional_integer("address");
        // a member with an address of its own has it; others count from the first
        let own = written.filter(|_| written != base.optional_integer("address"));
        let counted = written.map(|first| first + (member.number as u64 - 1) * step);
        let address = own.or(counted).unwrap_or_else(|| self.free(medium, is_slave));
        let limit = if is_slave { HIGHEST_SLAVE } else { u64::from(HIGHEST_MASTER) };
        let key = if written.is_some() { "address" } else { "count" };
        if address > limit {
            let kind = if is_slave { "slave" } else { "master" };
            let message = format!("`{}` would have address {address}, and a {kind} has at most {limit}", member.name);
            let help = "give the trunk fewer stations, or a lower address or address_step".to_owned();
            return Err(scenario.problem(base, key, message, Some(help)));
        }
        let place = &mut self.taken[medium][address as usize];
        if let Some(other) = place {
            let message = format!("`{}` and `{other}` have the same address {address} on one trunk", member.name);
            let help = "each node of a trunk has an address of its own".to_owned();
            return Err(scenario.problem(base, key, message, Some(help)));
        }
        *place = Some(member.name.clone());
        let next = &mut self.next[medium][usize::from(is_slave || address > u64::from(HIGHEST_MASTER))];
        *next = (*next).max(address + step);
        Ok(address as u8)
    }

    /// The next free address.
    fn free(&self, medium: usize, is_slave: bool) -> u64 {
        let first = self.next[medium][usize::from(is_slave)];
        (first..256).find(|&address| self.taken[medium][address as usize].is_none()).unwrap_or(256)
    }
}
