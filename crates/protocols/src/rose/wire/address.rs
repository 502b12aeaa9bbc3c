//! A network address: decimal digits, two in an octet.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Maximum digits of an address (X.121; a length of four bits).
pub const DIGIT_LIMIT: usize = 15;
/// Digits of the data network identification code (DNIC) that a full address begins with.
pub const DNIC_DIGITS: usize = 4;

/// A network address after X.121, up to 15 digits. ROSE uses ten: four that name the country's network (DNIC), then the
/// area code and the exchange of the switch, which a user writes alone. Fewer digits serve as a prefix.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NetworkAddress {
    digits: [u8; DIGIT_LIMIT],
    count: u8,
}

/// Why a text or an address field is not a valid network address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NetworkAddressError {
    /// The address has more than 15 digits.
    #[error("a network address of {0} digits is longer than 15")]
    TooLong(usize),
    /// The address contains a character that is not a digit.
    #[error("{character:?} at position {position} of a network address is not a digit")]
    Character {
        /// The character; of bytes received, the hexadecimal digit.
        character: char,
        /// Its place, from 1.
        position: usize,
    },
}

impl NetworkAddress {
    /// The address without digits.
    pub const EMPTY: NetworkAddress = NetworkAddress { digits: [0; DIGIT_LIMIT], count: 0 };

    /// How many digits there are.
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are no digits.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The digits, 0 to 9 each.
    pub fn digits(&self) -> &[u8] {
        &self.digits[..self.len()]
    }

    /// Whether the address begins with these digits.
    pub fn starts_with(&self, prefix: &NetworkAddress) -> bool {
        self.digits().starts_with(prefix.digits())
    }

    /// The first `count` digits, or all.
    pub fn prefix(&self, count: usize) -> Self {
        NetworkAddress::of_digits(&self.digits()[..count.min(self.len())])
    }

    /// What is left without the first `count` digits.
    pub fn without_prefix(&self, count: usize) -> Self {
        NetworkAddress::of_digits(&self.digits()[count.min(self.len())..])
    }

    /// This address, then the digits of `tail`; none if that is too long.
    pub fn followed_by(&self, tail: &NetworkAddress) -> Option<Self> {
        let mut whole = *self;
        tail.digits().iter().all(|digit| whole.push(*digit)).then_some(whole)
    }

    fn of_digits(digits: &[u8]) -> Self {
        let mut address = NetworkAddress::EMPTY;
        digits.iter().all(|digit| address.push(*digit));
        address
    }

    fn push(&mut self, digit: u8) -> bool {
        let place = self.digits.get_mut(usize::from(self.count));
        self.count += u8::from(place.is_some());
        place.map(|place| *place = digit).is_some()
    }

    /// Reads `count` digits from half-octet `start` of `octets` on, which are long enough.
    pub(super) fn unpack(octets: &[u8], start: usize, count: usize) -> Result<Self, NetworkAddressError> {
        let mut address = NetworkAddress::EMPTY;
        for position in 0..count {
            let half = start + position;
            let digit = octets[half / 2] >> (4 * (1 - half % 2)) & 0xf;
            if digit > 9 {
                let character = char::from_digit(digit.into(), 16).unwrap_or('?');
                return Err(NetworkAddressError::Character { character, position: position + 1 });
            }
            address.push(digit);
        }
        Ok(address)
    }

    /// Writes the digits from half-octet `start` of `octets` on, which are zero and long enough.
    pub(super) fn pack(&self, octets: &mut [u8], start: usize) {
        for (position, digit) in self.digits().iter().enumerate() {
            let half = start + position;
            octets[half / 2] |= digit << (4 * (1 - half % 2));
        }
    }
}

impl FromStr for NetworkAddress {
    type Err = NetworkAddressError;

    fn from_str(text: &str) -> Result<Self, NetworkAddressError> {
        let length = text.chars().count();
        if length > DIGIT_LIMIT {
            return Err(NetworkAddressError::TooLong(length));
        }
        let mut address = NetworkAddress::EMPTY;
        for (index, character) in text.chars().enumerate() {
            let digit = character.to_digit(10);
            let digit = digit.ok_or(NetworkAddressError::Character { character, position: index + 1 })?;
            address.push(digit as u8);
        }
        Ok(address)
    }
}

impl fmt::Display for NetworkAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.digits().iter().try_for_each(|digit| write!(f, "{digit}"))
    }
}

impl fmt::Debug for NetworkAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
