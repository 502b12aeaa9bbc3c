//! What a URL says of a trunk: `mstp:///dev/ttyUSB0?baud=38400&mac=5&to=7&object=analog-input:1&property=present-value`.

use sojourn_protocols::bacnet::{Object, Property};
use sojourn_protocols::mstp::HIGHEST_MASTER;
use sojourn_protocols::mstp::machine;
use sojourn_scenario::{Problem, Problems, hint};

use crate::target::Target;
use crate::target::options::Options;
use crate::transports::serial_url::SerialLine;
use sojourn_core::serial::Format;

/// The line of a trunk: 38 400 bit/s is the rate of most.
const USUAL: Format = Format::new(38_400);

/// The address of this host on a trunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Its own, 0 to 127.
    pub mac: u8,
    /// The highest that it polls.
    pub max_master: u8,
}

/// A device, and what is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// The device.
    pub to: u8,
    /// Its object.
    pub object: Object,
    /// The property that is read.
    pub property: Property,
}

/// What a device answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answers {
    /// Its instance.
    pub instance: u32,
    /// Whether it answers every request by Reply Postponed first.
    pub postpones: bool,
}

/// The URL of a measurement.
#[derive(Debug)]
pub struct Asked {
    /// The line.
    pub line: SerialLine,
    /// This host on it.
    pub address: Address,
    /// What it asks.
    pub question: Question,
}

/// The URL of a device.
#[derive(Debug)]
pub struct Served {
    /// The line.
    pub line: SerialLine,
    /// This host on it.
    pub address: Address,
    /// What it answers.
    pub served: Answers,
}

/// The URL of a listener.
#[derive(Debug)]
pub struct Monitored {
    /// The line.
    pub line: SerialLine,
}

/// Object types by name (clause 21, BACnetObjectType); others by number.
const TYPES: [(&str, u16); 10] = [
    ("analog-input", 0),
    ("analog-output", 1),
    ("analog-value", 2),
    ("binary-input", 3),
    ("binary-output", 4),
    ("binary-value", 5),
    ("device", 8),
    ("multi-state-input", 13),
    ("multi-state-output", 14),
    ("multi-state-value", 19),
];
/// Properties by name (clause 21, BACnetPropertyIdentifier); others by number.
const PROPERTIES: [(&str, u32); 4] =
    [("object-identifier", 75), ("object-name", 77), ("present-value", 85), ("vendor-identifier", 120)];

impl Address {
    fn of(target: &Target, options: &mut Options<'_>) -> Result<Address, Problem> {
        let max_master =
            options.number("max-master", 1..=HIGHEST_MASTER.into())?.map_or(HIGHEST_MASTER, |most| most as u8);
        let mac = options.number("mac", 0..=max_master.into())?.ok_or_else(|| {
            let problem = target.whole_problem("this host needs an address on the trunk that no other station has");
            problem.help("mac=N; sojourn listen shows those that are in use")
        })?;
        Ok(Address { mac: mac as u8, max_master })
    }

    /// The settings of its master.
    pub fn settings(self) -> machine::Settings {
        machine::Settings { max_master: self.max_master, ..machine::Settings::new(self.mac) }
    }
}

impl Asked {
    /// Parses the URL of a measurement; mistakes stand under a caret.
    pub fn of(target: &Target) -> Result<Asked, Problems> {
        let (line, mut options) = SerialLine::of(target, USUAL)?;
        let address = Address::of(target, &mut options)?;
        let to = options
            .number("to", 0..=254)?
            .ok_or_else(|| target.whole_problem("the address of the device to ask is missing").help("to=N"))?
            as u8;
        if to == address.mac {
            return Err(target.whole_problem(format!("MAC {to} is this host's own")).into());
        }
        let object = match options.take("object") {
            None => Object::device(Object::ANY_INSTANCE),
            Some((text, place)) => object(text).ok_or_else(|| {
                let problem = target.problem(place, "an object is its type and its instance");
                problem.help(format!(
                    "as in analog-input:1; types: {}, or a number",
                    TYPES.map(|(name, _)| name).join(", ")
                ))
            })?,
        };
        let property = match options.take("property") {
            None => Property(PROPERTIES[0].1),
            Some((text, place)) => named(text, &PROPERTIES, 0x3f_ffff).map(Property).ok_or_else(|| {
                let names = PROPERTIES.iter().map(|(name, _)| *name);
                target.problem(place, "not a property").maybe_help(hint::suggestion(text, names))
            })?,
        };
        options.finish()?;
        Ok(Asked { line, address, question: Question { to, object, property } })
    }
}

impl Served {
    /// Parses the URL of a device.
    pub fn of(target: &Target) -> Result<Served, Problems> {
        let (line, mut options) = SerialLine::of(target, USUAL)?;
        let address = Address::of(target, &mut options)?;
        let instance = options.number("device", 0..=Object::ANY_INSTANCE - 1)?;
        let postpones = options.word("reply", &[("immediate", false), ("postpone", true)])?.unwrap_or(false);
        options.finish()?;
        let served = Answers { instance: instance.unwrap_or(address.mac.into()), postpones };
        Ok(Served { line, address, served })
    }
}

impl Monitored {
    /// Parses the URL of a listener, which has no address.
    pub fn of(target: &Target) -> Result<Monitored, Problems> {
        let (line, options) = SerialLine::of(target, USUAL)?;
        options.finish()?;
        Ok(Monitored { line })
    }
}

/// `analog-input:1`, or `0:1`.
fn object(text: &str) -> Option<Object> {
    let (kind, instance) = text.split_once(':')?;
    let kinds = TYPES.map(|(name, number)| (name, u32::from(number)));
    let kind = named(kind, &kinds, 1023)? as u16;
    let instance = instance.parse().ok().filter(|instance| *instance <= Object::ANY_INSTANCE)?;
    Some(Object { kind, instance })
}

fn named(text: &str, names: &[(&str, u32)], most: u32) -> Option<u32> {
    let by_name = names.iter().find(|(name, _)| *name == text).map(|(_, number)| *number);
    by_name.or_else(|| text.parse().ok().filter(|number| *number <= most))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str) -> Result<Asked, Problem> {
        let target = Target::parse(&format!("mstp:///dev/x?{query}"), &["mstp"]).unwrap();
        Asked::of(&target).map_err(|problems| problems.0[0].clone())
    }

    #[test]
    fn without_an_object_any_device_names_itself() {
        let Asked { line, address, question } = asked("mac=5&to=7").unwrap();
        assert_eq!((line.settings, address), (USUAL, Address { mac: 5, max_master: 127 }));
        let itself = Object { kind: 8, instance: 4_194_303 };
        assert_eq!(question, Question { to: 7, object: itself, property: Property(75) });
    }

    #[test]
    fn objects_and_properties_have_names_and_numbers() {
        let named = asked("mac=5&to=7&object=analog-input:1&property=present-value").unwrap().question;
        let numbered = asked("mac=5&to=7&object=0:1&property=85").unwrap().question;
        assert_eq!(named, numbered);
        assert_eq!((named.object, named.property), (Object { kind: 0, instance: 1 }, Property(85)));
    }

    #[test]
    fn every_mistake_says_what_is_expected() {
        let mistake = |query: &str| asked(query).unwrap_err().message;
        assert!(mistake("to=7").contains("needs an address"));
        assert_eq!(mistake("mac=5"), "the address of the device to ask is missing");
        assert_eq!(mistake("mac=5&to=5"), "MAC 5 is this host's own");
        assert_eq!(mistake("mac=9&to=5&max-master=8"), "`mac` is a whole number from 0 to 8");
        assert_eq!(mistake("mac=9&to=5&object=analog-input"), "an object is its type and its instance");
        assert_eq!(mistake("mac=9&to=5&property=value"), "not a property");
        assert_eq!(mistake("mac=9&to=5&parity=even&device=3"), "there is no option `device`");
    }
}
