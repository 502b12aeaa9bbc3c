//! Facilities: the stations of a call, their digipeaters, and the random number that identifies it.

use super::{NetworkAddress, ParseError};
use crate::ax25::wire::{Address, DIGIPEATER_LIMIT, Digipeaters};
use crate::cursor::{Reader, Writer};

/// Length of an AX.25 address in octets.
const ADDRESS: usize = 7;
/// Bit 7 of an AX.25 address's last octet (H): the digipeater is on the caller's side.
const CALLER_SIDE: u8 = 0x80;

/// The marker of a family, and the families.
const MARKER: u8 = 0x00;
const NATIONAL: u8 = 0x00;
const CCITT: u8 = 0x0f;

/// Facilities of the national family.
const RANDOM: u8 = 0x7f;
const DESTINATION_DIGIPEATER: u8 = 0xe9;
const SOURCE_DIGIPEATER: u8 = 0xeb;
const FAILED_CALL: u8 = 0xed;
const FAILED_ADDRESS: u8 = 0xee;
const DIGIPEATERS: u8 = 0xef;

/// Facilities of the CCITT family.
const DESTINATION: u8 = 0xc9;
const SOURCE: u8 = 0xcb;
/// The prefix of the address in a network service access point: authority and initial domain.
const ACCESS_POINT: [u8; 3] = [0x47, 0x00, 0x11];

/// The facilities of ROSE (Linux net/rose). Others are ignored, and not sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facilities {
    /// Random number that identifies the call among those of the same stations; 0 is absent.
    pub random: u16,
    /// Digipeaters between the caller and the entry switch, in path order from the caller.
    pub source_digipeaters: Digipeaters,
    /// Digipeaters between the exit switch and the called station, in path order to the station.
    pub destination_digipeaters: Digipeaters,
    /// The station at which a call failed.
    pub failed_call: Option<Address>,
    /// The address at which a call failed.
    pub failed_address: Option<NetworkAddress>,
    /// The called station and its switch.
    pub destination: Option<Subscriber>,
    /// The calling station and its switch.
    pub source: Option<Subscriber>,
}

/// A station, and the address of its switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Subscriber {
    /// The network address of the switch.
    pub address: NetworkAddress,
    /// The station's AX.25 address.
    pub station: Address,
}

impl Facilities {
    /// Parses the length octet and the facilities.
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, ParseError> {
        let length = reader.byte("facilities length")?;
        let mut area = Reader(reader.take(length.into(), "facilities")?);
        let mut facilities = Facilities::default();
        let mut family = None;
        while !area.0.is_empty() {
            let code = area.byte("facility")?;
            if code == MARKER {
                family = Some(area.byte("family of facilities")?);
                continue;
            }
            // the class of a facility gives the length of its parameter (X.25 section 7.1)
            let octets = match code >> 6 {
                0 => 1,
                1 => 2,
                2 => 3,
                _ => area.byte("length of a facility")?,
            };
            let parameter = area.take(octets.into(), "facility")?;
            match family {
                Some(NATIONAL) => facilities.set_national(code, parameter)?,
                Some(CCITT) => facilities.set_ccitt(code, parameter)?,
                _ => {}
            }
        }
        Ok(facilities)
    }

    fn set_national(&mut self, code: u8, parameter: &[u8]) -> Result<(), ParseError> {
        let mut reader = Reader(parameter);
        match code {
            RANDOM => self.random = reader.u16("random number")?,
            DIGIPEATERS => self.set_digipeaters(&mut reader)?,
            // from older switches, which have one; a list takes precedence
            DESTINATION_DIGIPEATER if self.destination_digipeaters.is_empty() => {
                self.destination_digipeaters.push(address(&mut reader, "destination digipeater")?.0, false);
            }
            SOURCE_DIGIPEATER if self.source_digipeaters.is_empty() => {
                self.source_digipeaters.push(address(&mut reader, "source digipeater")?.0, false);
            }
            FAILED_CALL => self.failed_call = Some(address(&mut reader, "failed call")?.0),
            FAILED_ADDRESS => self.failed_address = Some(counted_address(&mut reader, "failed address")?),
            _ => {}
        }
        Ok(())
    }

    fn set_digipeaters(&mut self, reader: &mut Reader<'_>) -> Result<(), ParseError> {
        (self.source_digipeaters, self.destination_digipeaters) = (Digipeaters::NONE, Digipeaters::NONE);
        while !reader.0.is_empty() {
            let (address, caller_side) = address(reader, "digipeaters")?;
            let list = if caller_side { &mut self.source_digipeaters } else { &mut self.destination_digipeaters };
            if list.len() == DIGIPEATER_LIMIT {
                return Err(ParseError::TooManyDigipeaters);
            }
            list.push(address, false);
        }
        Ok(())
    }

    fn set_ccitt(&mut self, code: u8, parameter: &[u8]) -> Result<(), ParseError> {
        let mut reader = Reader(parameter);
        match code {
            DESTINATION => self.destination = Some(Subscriber::read(&mut reader, "destination")?),
            SOURCE => self.source = Some(Subscriber::read(&mut reader, "source")?),
            _ => {}
        }
        Ok(())
    }

    /// Length in octets, including the length octet.
    pub(super) fn length(&self) -> usize {
        let subscribers = self.subscribers().map(|(_, subscriber)| 2 + subscriber.length()).sum::<usize>();
        let ccitt = if subscribers > 0 { 2 + subscribers } else { 0 };
        let national = self.national_length();
        1 + ccitt + if national > 0 { 2 + national } else { 0 }
    }

    fn national_length(&self) -> usize {
        let digipeaters = self.source_digipeaters.len() + self.destination_digipeaters.len();
        let single = |list: &Digipeaters| if list.is_empty() { 0 } else { 2 + ADDRESS };
        let of_number = if self.random != 0 { 3 } else { 0 };
        let of_list = if digipeaters > 0 { 2 + ADDRESS * digipeaters } else { 0 };
        let of_call = self.failed_call.map_or(0, |_| 2 + ADDRESS);
        let of_address = self.failed_address.map_or(0, |address| 3 + address.len().div_ceil(2));
        of_number
            + of_list
            + single(&self.source_digipeaters)
            + single(&self.destination_digipeaters)
            + of_call
            + of_address
    }

    fn subscribers(&self) -> impl Iterator<Item = (u8, Subscriber)> {
        let both = [(DESTINATION, self.destination), (SOURCE, self.source)];
        both.into_iter().filter_map(|(code, subscriber)| Some((code, subscriber?)))
    }

    pub(super) fn write(&self, writer: &mut Writer<'_>) {
        writer.byte((self.length() - 1) as u8);
        if self.national_length() > 0 {
            writer.bytes(&[MARKER, NATIONAL]);
            self.write_national(writer);
        }
        if self.subscribers().next().is_some() {
            writer.bytes(&[MARKER, CCITT]);
        }
        for (code, subscriber) in self.subscribers() {
            writer.byte(code);
            subscriber.write(writer);
        }
    }

    fn write_national(&self, writer: &mut Writer<'_>) {
        if self.random != 0 {
            writer.byte(RANDOM);
            writer.u16(self.random);
        }
        let sides = [(&self.source_digipeaters, CALLER_SIDE), (&self.destination_digipeaters, 0)];
        let count: usize = sides.iter().map(|(list, _)| list.len()).sum();
        if count > 0 {
            writer.bytes(&[DIGIPEATERS, (ADDRESS * count) as u8]);
        }
        for (list, side) in sides {
            for (digipeater, _) in list.iter() {
                let mut octets = digipeater.emit();
                octets[ADDRESS - 1] |= side;
                writer.bytes(&octets);
            }
        }
        // again, for older switches with one digipeater a side
        for (code, (list, _)) in [SOURCE_DIGIPEATER, DESTINATION_DIGIPEATER].into_iter().zip(sides) {
            if let Some((first, _)) = list.iter().next() {
                writer.bytes(&[code, ADDRESS as u8]);
                writer.bytes(&first.emit());
            }
        }
        if let Some(call) = self.failed_call {
            writer.bytes(&[FAILED_CALL, ADDRESS as u8]);
            writer.bytes(&call.emit());
        }
        if let Some(address) = self.failed_address {
            writer.bytes(&[FAILED_ADDRESS, 1 + address.len().div_ceil(2) as u8]);
            write_counted_address(&address, writer);
        }
    }
}

impl Subscriber {
    fn read(reader: &mut Reader<'_>, facility: &'static str) -> Result<Self, ParseError> {
        // twice the length of what follows, and the access point's fixed part
        reader.take(1 + ACCESS_POINT.len(), facility)?;
        let address = counted_address(reader, facility)?;
        let text = std::str::from_utf8(reader.rest()).map_err(|_| ParseError::Text(facility))?;
        let station = text.parse().map_err(|error| ParseError::Callsign { facility, error })?;
        Ok(Subscriber { address, station })
    }

    /// Length of the facility in octets, without its length octet.
    fn length(&self) -> usize {
        2 + ACCESS_POINT.len() + self.address.len().div_ceil(2) + self.callsign_length()
    }

    /// Length of callsign, hyphen and SSID in octets; the SSID is written even if it is 0, as by Linux.
    fn callsign_length(&self) -> usize {
        self.station.callsign().len() + if self.station.ssid() > 9 { 3 } else { 2 }
    }

    fn write(&self, writer: &mut Writer<'_>) {
        let length = self.length() as u8;
        writer.bytes(&[length, 2 * (length - 1)]);
        writer.bytes(&ACCESS_POINT);
        write_counted_address(&self.address, writer);
        writer.bytes(self.station.callsign().as_bytes());
        writer.byte(b'-');
        let ssid = self.station.ssid();
        if ssid > 9 {
            writer.byte(b'1');
        }
        writer.byte(b'0' + ssid % 10);
    }
}

/// An AX.25 address, and its highest bit.
fn address(reader: &mut Reader<'_>, facility: &'static str) -> Result<(Address, bool), ParseError> {
    let octets: [u8; ADDRESS] = reader.array(facility)?;
    let address = Address::parse(&octets).map_err(|error| ParseError::Callsign { facility, error })?;
    Ok((address, octets[ADDRESS - 1] & CALLER_SIDE != 0))
}

/// A network address after the number of its digits.
fn counted_address(reader: &mut Reader<'_>, facility: &'static str) -> Result<NetworkAddress, ParseError> {
    let digits = usize::from(reader.byte(facility)?);
    if digits > super::address::DIGIT_LIMIT {
        return Err(super::NetworkAddressError::TooLong(digits).into());
    }
    let octets = reader.take(digits.div_ceil(2), facility)?;
    Ok(NetworkAddress::unpack(octets, 0, digits)?)
}

fn write_counted_address(address: &NetworkAddress, writer: &mut Writer<'_>) {
    writer.byte(address.len() as u8);
    let octets = writer.space(address.len().div_ceil(2));
    octets.fill(0);
    address.pack(octets, 0);
}
