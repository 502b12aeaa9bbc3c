//! Which requests the blocks of a flow become.

use sojourn_protocols::modbus::Function;

/// The function of its word in a scenario.
pub fn function_of(word: &str) -> Function {
    match word {
        "read-coils" => Function::ReadCoils,
        "read-discrete-inputs" => Function::ReadDiscreteInputs,
        "read-input-registers" => Function::ReadInputRegisters,
        "write-coil" => Function::WriteSingleCoil,
        "write-register" => Function::WriteSingleRegister,
        "write-coils" => Function::WriteMultipleCoils,
        "write-registers" => Function::WriteMultipleRegisters,
        "mask-write" => Function::MaskWriteRegister,
        "read-write" => Function::ReadWriteMultipleRegisters,
        _ => Function::ReadHoldingRegisters,
    }
}

/// Blocks of registers or bits that a client wants, equally far apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Registers or bits of a block.
    pub count: u16,
    /// How many blocks.
    pub blocks: u16,
    /// Registers or bits between two of them.
    pub gap: u16,
    /// Whether a request reads several blocks with the gaps between them.
    pub merge: bool,
}

/// What one request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The first address.
    pub address: u16,
    /// Registers or bits from there on, those of gaps included.
    pub count: u16,
}

impl Blocks {
    /// The requests in the order of addresses, each within the limit of the function.
    pub fn requests(self, function: Function) -> Vec<Asked> {
        let Blocks { count, blocks, gap, merge } = self;
        let period = u32::from(count) + u32::from(gap);
        // as many blocks as end within the limit: count + (together - 1) * period
        let fitting = 1 + u32::from(function.most().saturating_sub(count)) / period.max(1);
        let together = if merge { fitting } else { 1 };
        let firsts = (0..u32::from(blocks)).step_by(together as usize);
        let request = |first: u32| {
            let blocks = together.min(u32::from(blocks) - first);
            Asked { address: (first * period) as u16, count: ((blocks - 1) * period) as u16 + count }
        };
        firsts.map(request).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: Function = Function::ReadHoldingRegisters;

    fn requests(count: u16, blocks: u16, gap: u16, merge: bool) -> Vec<(u16, u16)> {
        let asked = Blocks { count, blocks, gap, merge }.requests(READ);
        asked.into_iter().map(|Asked { address, count }| (address, count)).collect()
    }

    #[test]
    fn blocks_that_are_not_merged_are_a_request_each() {
        assert_eq!(requests(10, 3, 5, false), [(0, 10), (15, 10), (30, 10)]);
    }

    #[test]
    fn merged_blocks_are_read_with_their_gaps() {
        assert_eq!(requests(10, 3, 5, true), [(0, 40)]);
        assert_eq!(requests(10, 10, 0, true), [(0, 100)]);
    }

    #[test]
    fn a_request_has_no_more_blocks_than_end_within_the_limit() {
        // 125 registers hold 8 blocks of 10 with gaps of 5 (7 * 15 + 10 = 115), a ninth would end at 130
        assert_eq!(requests(10, 10, 5, true), [(0, 115), (120, 25)]);
        // 6 * 20 + 5 = 125 is allowed
        assert_eq!(requests(5, 8, 15, true), [(0, 125), (140, 5)]);
        assert_eq!(requests(125, 2, 0, true), [(0, 125), (125, 125)]);
        assert_eq!(requests(100, 2, 200, true), [(0, 100), (300, 100)]);
    }
}
