//! What a URL asks of a server: `?unit=1&function=3&address=0&count=10`.

use sojourn_protocols::modbus::{Function, HIGHEST_UNIT, Request, Table};
use sojourn_scenario::Problem;

use crate::target::Target;
use crate::target::options::Options;

/// The request of a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The server.
    pub unit: u8,
    /// What is asked of it.
    pub request: Request,
}

/// Functions that a measurement asks for: of writes, those of one value.
const FUNCTIONS: [(&str, Function); 6] = [
    ("1", Function::ReadCoils),
    ("2", Function::ReadDiscreteInputs),
    ("3", Function::ReadHoldingRegisters),
    ("4", Function::ReadInputRegisters),
    ("5", Function::WriteSingleCoil),
    ("6", Function::WriteSingleRegister),
];

impl Question {
    /// Takes the options of a request. Units above 247 are of TCP alone.
    pub fn of(target: &Target, options: &mut Options<'_>, is_serial: bool) -> Result<Question, Problem> {
        let units = if is_serial { 1..=HIGHEST_UNIT.into() } else { 0..=255 };
        let unit = options.number("unit", units)?.unwrap_or(1) as u8;
        let function = options.word("function", &FUNCTIONS)?.unwrap_or(Function::ReadHoldingRegisters);
        let address = options.number("address", 0..=65_535)?.unwrap_or(0) as u16;
        let most = u32::from(function.most()).min(0x1_0000 - u32::from(address));
        let count = options.number("count", 1..=most)?.unwrap_or(1) as u16;
        let is_coil = function == Function::WriteSingleCoil;
        let value = options.number("value", 0..=if is_coil { 1 } else { 65_535 })?;
        let read = |table| Request::Read { table, address, count };
        let request = match (function, value) {
            (Function::WriteSingleCoil, Some(value)) => Request::WriteCoil { address, on: value == 1 },
            (Function::WriteSingleRegister, Some(value)) => Request::WriteRegister { address, value: value as u16 },
            (Function::WriteSingleCoil | Function::WriteSingleRegister, None) => {
                let problem =
                    target.whole_problem(format!("function {} writes, and no value is given", function.code()));
                return Err(problem.help(format!("reads are functions 1 to 4; to write: {target}&value=0")));
            }
            (_, Some(_)) => {
                let message = format!("`value` is written, and function {} reads", function.code());
                return Err(target.whole_problem(message).help("functions 5 and 6 write a coil and a register"));
            }
            (Function::ReadCoils, _) => read(Table::Coils),
            (Function::ReadDiscreteInputs, _) => read(Table::DiscreteInputs),
            (Function::ReadInputRegisters, _) => read(Table::InputRegisters),
            _ => read(Table::HoldingRegisters),
        };
        Ok(Question { unit, request })
    }

    /// Octets of the PDU of the request, and of its response.
    pub fn lengths(&self) -> (usize, usize) {
        let function = self.request.function();
        let count = if let Request::Read { count, .. } = self.request { count } else { 1 };
        (function.request_length(count, 0), function.response_length(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(query: &str, is_serial: bool) -> Result<Question, Problem> {
        let target = Target::parse(&format!("modbus://h{query}"), &["modbus"]).unwrap();
        let mut options = Options::of(&target, 10..target.with_secrets().len());
        let question = Question::of(&target, &mut options, is_serial)?;
        options.finish().map(|()| question)
    }

    fn read(table: Table, address: u16, count: u16) -> Request {
        Request::Read { table, address, count }
    }

    #[test]
    fn without_options_the_first_holding_register_of_unit_1_is_read() {
        let request = read(Table::HoldingRegisters, 0, 1);
        assert_eq!(question("", true).unwrap(), Question { unit: 1, request });
    }

    #[test]
    fn a_url_names_unit_function_address_and_count() {
        let question = question("?unit=17&function=1&address=19&count=37", true).unwrap();
        assert_eq!(question, Question { unit: 17, request: read(Table::Coils, 19, 37) });
        // 37 coils are five octets
        assert_eq!(question.lengths(), (5, 7));
    }

    #[test]
    fn a_write_needs_its_value_and_a_read_takes_none() {
        let written = question("?function=6&address=1&value=3", false).unwrap().request;
        assert_eq!(written, Request::WriteRegister { address: 1, value: 3 });
        let mistake = |query: &str| question(query, true).unwrap_err().message;
        assert_eq!(mistake("?function=6"), "function 6 writes, and no value is given");
        assert_eq!(mistake("?function=3&value=1"), "`value` is written, and function 3 reads");
        assert_eq!(mistake("?function=16"), "`function` has no value `16`");
    }

    #[test]
    fn ranges_are_those_of_the_protocol() {
        let mistake = |query: &str| question(query, true).unwrap_err().message;
        assert_eq!(mistake("?unit=0"), "`unit` is a whole number from 1 to 247");
        assert_eq!(mistake("?count=126"), "`count` is a whole number from 1 to 125");
        assert_eq!(mistake("?address=65530&count=7"), "`count` is a whole number from 1 to 6");
        assert_eq!(mistake("?function=5&value=2"), "`value` is a whole number from 0 to 1");
        assert!(question("?unit=255", false).is_ok());
    }
}
