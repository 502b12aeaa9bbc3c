//! Cell admission and packet discard (Romanow and Floyd, Dynamics of TCP traffic over ATM networks, IEEE JSAC 13(4),
//! 1995).

use super::cell::Cell;
use super::settings::Discard;

/// Where a connection stands at one queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketState {
    /// Whether the next cell goes on with a packet.
    inside: bool,
    dropping: Dropping,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Dropping {
    #[default]
    Nothing,
    /// What is left of the packet, but for its last cell.
    Rest,
    /// All cells of the packet.
    All,
}

impl PacketState {
    /// Whether a cell that finds `occupied` cells is taken.
    ///
    /// A connection's resource management cells are none of a packet's: they are dropped when the buffer is full.
    #[inline]
    pub fn admits(&mut self, discard: Discard, cell: Cell, occupied: u32, full: bool) -> bool {
        if discard == Discard::Tail || !cell.is_data() {
            return !full;
        }
        let last = cell.is(Cell::LAST);
        if !self.inside {
            let early = matches!(discard, Discard::EarlyPacket(threshold) if occupied >= threshold);
            self.dropping = if early { Dropping::All } else { Dropping::Nothing };
        }
        self.inside = !last;
        match self.dropping {
            Dropping::All => false,
            // without its last cell, AAL5 would join what arrived of the packet to the next one
            Dropping::Rest if !last => false,
            _ if full => {
                self.dropping = if last { self.dropping } else { Dropping::Rest };
                false
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u32 = 10;

    /// Which cells of packets of four are taken, given what each finds.
    fn taken(discard: Discard, found: &[u32]) -> Vec<bool> {
        let mut state = PacketState::default();
        let cell = |index: usize| Cell::new(0, 0, if index % 4 == 3 { Cell::LAST } else { 0 });
        let cells = found.iter().enumerate();
        cells.map(|(index, &occupied)| state.admits(discard, cell(index), occupied, occupied >= LIMIT)).collect()
    }

    #[test]
    fn tail_drop_asks_for_room_alone() {
        assert_eq!(taken(Discard::Tail, &[9, 10, 9, 10]), [true, false, true, false]);
    }

    #[test]
    fn partial_packet_discard_drops_the_rest_but_for_the_last_cell() {
        let policy = Discard::PartialPacket;
        assert_eq!(taken(policy, &[9, 10, 9, 9, 9]), [true, false, false, true, true]);
        assert_eq!(taken(policy, &[10, 9, 9, 10, 9]), [false, false, false, false, true]);
        assert_eq!(taken(policy, &[9, 9, 9, 10, 9]), [true, true, true, false, true], "the next packet is whole");
    }

    #[test]
    fn early_packet_discard_refuses_packets_whole_and_lets_those_go_on_that_have_begun() {
        let policy = Discard::EarlyPacket(8);
        assert_eq!(taken(policy, &[8, 0, 0, 0, 7, 8, 9, 9]), [false, false, false, false, true, true, true, true]);
        assert_eq!(taken(policy, &[7, 10, 7, 7]), [true, false, false, true], "it falls back to partial discard");
    }

    #[test]
    fn resource_management_cells_are_no_part_of_a_packet() {
        let mut state = PacketState::default();
        let (data, management) = (Cell::new(0, 0, 0), Cell::new(0, 0, Cell::FORWARD));
        assert!(!state.admits(Discard::EarlyPacket(8), data, 8, false));
        assert!(state.admits(Discard::EarlyPacket(8), management, 9, false));
        assert!(!state.admits(Discard::EarlyPacket(8), management, 10, true));
        assert!(!state.admits(Discard::EarlyPacket(8), data, 0, false));
    }
}
