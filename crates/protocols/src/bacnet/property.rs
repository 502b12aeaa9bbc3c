//! ReadProperty (clause 15.5), Who-Is and I-Am (clause 16.10).

use super::{Apdu, Npdu};

/// Service choices: ReadProperty, I-Am, Who-Is, WriteProperty.
const READ_PROPERTY: u8 = 12;
const I_AM: u8 = 0;
const WHO_IS: u8 = 8;
const WRITE_PROPERTY: u8 = 15;
/// The largest APDU that is accepted, in a request's second octet: 480 octets, no segments.
const UP_TO_480: u8 = 3;
/// The object identifier in parameter 0, and as a value of its own.
const OBJECT_PARAMETER: u8 = 0x0c;
const OBJECT_VALUE: u8 = 0xc4;
/// The property in parameter 1, of one octet and of more.
const PROPERTY_PARAMETER: u8 = 0x18;
/// What surrounds the value in parameter 3.
const OPENING: u8 = 0x3e;
const CLOSING: u8 = 0x3f;
/// The priority of a write in parameter 4, and the lowest.
const PRIORITY_PARAMETER: u8 = 0x49;
const LOWEST_PRIORITY: u8 = 16;
/// A REAL as a value.
const REAL_VALUE: u8 = 0x44;
/// The type of device objects.
const DEVICE: u16 = 8;

/// An object: its type, 0 to 1023, and its instance, 0 to 4 194 303.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its type: 0 analog input, 8 device.
    pub kind: u16,
    /// Its instance among those of the type.
    pub instance: u32,
}

/// A property by its number: 85 is the present value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Property(pub u32);

/// A value of a property.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Real(f32),
    /// An object's identifier.
    Object(Object),
}

impl Object {
    /// The highest instance, which every device takes for its own device object (135-2004, clause 12.11).
    pub const ANY_INSTANCE: u32 = 0x3f_ffff;

    /// The device object of an instance.
    pub const fn device(instance: u32) -> Object {
        Object { kind: DEVICE, instance }
    }

    const fn word(self) -> u32 {
        (self.kind as u32 & 0x3ff) << 22 | self.instance & Object::ANY_INSTANCE
    }

    const fn of(word: u32) -> Object {
        Object { kind: (word >> 22) as u16, instance: word & Object::ANY_INSTANCE }
    }
}

fn put_object(tag: u8, object: Object, octets: &mut Vec<u8>) {
    octets.push(tag);
    octets.extend(object.word().to_be_bytes());
}

/// The property in as few octets as it takes.
fn put_property(Property(number): Property, octets: &mut Vec<u8>) {
    let bytes = number.to_be_bytes();
    let skipped = bytes.iter().take(3).take_while(|byte| **byte == 0).count();
    octets.push(PROPERTY_PARAMETER | (4 - skipped) as u8);
    octets.extend(&bytes[skipped..]);
}

/// The packet of a request for a property of a neighbour's object.
pub fn read_property(invoke: u8, object: Object, property: Property) -> Vec<u8> {
    let mut octets = Npdu::local(true).to_vec();
    octets.extend([0, UP_TO_480, invoke, READ_PROPERTY]);
    put_object(OBJECT_PARAMETER, object, &mut octets);
    put_property(property, &mut octets);
    octets
}

/// The packet that answers it.
pub fn read_property_ack(invoke: u8, object: Object, property: Property, value: Value) -> Vec<u8> {
    let mut octets = Npdu::local(false).to_vec();
    octets.extend([0x30, invoke, READ_PROPERTY]);
    put_object(OBJECT_PARAMETER, object, &mut octets);
    put_property(property, &mut octets);
    put_value(value, &mut octets);
    octets
}

/// The packet of a request to set a property of a neighbour's object, at the lowest priority.
pub fn write_property(invoke: u8, object: Object, property: Property, value: Value) -> Vec<u8> {
    let mut octets = Npdu::local(true).to_vec();
    octets.extend([0, UP_TO_480, invoke, WRITE_PROPERTY]);
    put_object(OBJECT_PARAMETER, object, &mut octets);
    put_property(property, &mut octets);
    put_value(value, &mut octets);
    octets.extend([PRIORITY_PARAMETER, LOWEST_PRIORITY]);
    octets
}

/// A value in parameter 3.
fn put_value(value: Value, octets: &mut Vec<u8>) {
    octets.push(OPENING);
    match value {
        Value::Real(number) => {
            octets.push(REAL_VALUE);
            octets.extend(number.to_be_bytes());
        }
        Value::Object(object) => put_object(OBJECT_VALUE, object, octets),
    }
    octets.push(CLOSING);
}

/// Invoke ID, object and property of a request for a property of this device.
pub fn requested(packet: &[u8]) -> Option<(u8, Object, Property)> {
    let Npdu { destination: [], is_network_message: false, payload, .. } = Npdu::parse(packet).ok()? else {
        return None;
    };
    let Apdu::ConfirmedRequest { invoke, segment: None, service: READ_PROPERTY, data } = Apdu::parse(payload).ok()?
    else {
        return None;
    };
    let (object, rest) = data.strip_prefix(&[OBJECT_PARAMETER])?.split_first_chunk()?;
    let (tag, number) = rest.split_first()?;
    let length = usize::from(tag.wrapping_sub(PROPERTY_PARAMETER));
    let number = number.get(..length).filter(|_| (1..=4).contains(&length))?;
    let property = number.iter().fold(0, |value, octet| value << 8 | u32::from(*octet));
    Some((invoke, Object::of(u32::from_be_bytes(*object)), Property(property)))
}

/// The packet by which a device announces itself: APDUs up to 480 octets, no segments, vendor 0.
pub fn i_am(instance: u32) -> Vec<u8> {
    let mut octets = Npdu::local(false).to_vec();
    octets.extend([0x10, I_AM]);
    put_object(OBJECT_VALUE, Object::device(instance), &mut octets);
    octets.extend([0x22, 0x01, 0xe0, 0x91, 3, 0x21, 0]);
    octets
}

/// The instance of the device that announces itself by this packet, unless a router passed it on.
pub fn i_am_device(packet: &[u8]) -> Option<u32> {
    let Npdu { source: [], is_network_message: false, payload, .. } = Npdu::parse(packet).ok()? else { return None };
    let Apdu::UnconfirmedRequest { service: I_AM, data } = Apdu::parse(payload).ok()? else { return None };
    let object = Object::of(u32::from_be_bytes(*data.strip_prefix(&[OBJECT_VALUE])?.first_chunk()?));
    (object.kind == DEVICE).then_some(object.instance)
}

/// Whether a packet asks a device of this instance to announce itself.
pub fn who_is(packet: &[u8], instance: u32) -> bool {
    let Ok(Npdu { is_network_message: false, payload, .. }) = Npdu::parse(packet) else { return false };
    let Ok(Apdu::UnconfirmedRequest { service: WHO_IS, data }) = Apdu::parse(payload) else { return false };
    let Some((least, rest)) = limit(data, 0x08) else { return data.is_empty() };
    let Some((most, [])) = limit(rest, 0x18) else { return false };
    (least..=most).contains(&instance)
}

/// An unsigned parameter of one to three octets, and what follows it.
fn limit(octets: &[u8], tag: u8) -> Option<(u32, &[u8])> {
    let (first, rest) = octets.split_first()?;
    let length = usize::from(first.wrapping_sub(tag));
    let (number, rest) = rest.split_at_checked(length).filter(|_| (1..=4).contains(&length))?;
    Some((number.iter().fold(0, |value, octet| value << 8 | u32::from(*octet)), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_has_the_octets_of_the_standard() {
        // network layer, confirmed request without segments, then parameters 0, 1, 3 and 4
        let expected = [
            &[0x01, 0x04, 0x00, 0x03, 0x07, 0x0f][..],
            &[0x0c, 0x00, 0x80, 0x00, 0x01, 0x19, 0x55],
            &[0x3e, 0x44, 0x42, 0xc8, 0x00, 0x00, 0x3f, 0x49, 0x10],
        ];
        let object = Object { kind: 2, instance: 1 };
        assert_eq!(write_property(7, object, Property(85), Value::Real(100.0)), expected.concat());
    }

    const INPUT: Object = Object { kind: 2, instance: 1 };

    #[test]
    fn a_request_and_its_answer_have_the_octets_of_the_brief() {
        // analog value 1, present value, 100.0
        let request = read_property(1, INPUT, Property(85));
        assert_eq!(request, [1, 4, 0, 3, 1, 0x0c, 0x0c, 0, 0x80, 0, 1, 0x19, 0x55]);
        let answer = read_property_ack(1, INPUT, Property(85), Value::Real(100.0));
        let expected = [1, 0, 0x30, 1, 0x0c, 0x0c, 0, 0x80, 0, 1, 0x19, 0x55, 0x3e, 0x44, 0x42, 0xc8, 0, 0, 0x3f];
        assert_eq!(answer, expected);
        assert_eq!(requested(&request), Some((1, INPUT, Property(85))));
        assert_eq!(requested(&answer), None);
    }

    #[test]
    fn a_property_takes_as_many_octets_as_it_needs() {
        for number in [0, 85, 255, 256, 512, 65_536, 4_194_303] {
            let request = read_property(7, Object::device(Object::ANY_INSTANCE), Property(number));
            assert_eq!(requested(&request), Some((7, Object::device(0x3f_ffff), Property(number))));
        }
        assert_eq!(read_property(7, INPUT, Property(512))[11..], [0x1a, 2, 0]);
    }

    #[test]
    fn a_device_announces_itself_to_those_who_ask_for_its_instance() {
        assert_eq!(i_am_device(&i_am(1234)), Some(1234));
        assert_eq!(i_am_device(&read_property(1, INPUT, Property(85))), None);
        let asked = |limits: &[u8]| who_is(&[&[1, 0, 0x10, 8], limits].concat(), 1234);
        assert!(asked(&[]) && asked(&[0x0a, 4, 0xd2, 0x1a, 4, 0xd2]));
        assert!(!asked(&[0x09, 1, 0x19, 9]) && !asked(&[0x09]));
    }
}
