//! Properties that hold for any input, checked by the fuzz target and by a property test.

use super::{Apdu, Npdu, i_am_device, read_property, requested, who_is};

/// Any octets are a packet or not: what is behind a header is the end of the packet, and a request for a property survives a
/// round trip where it is as short as can be.
pub fn packet(octets: &[u8]) {
    if let Ok(npdu) = Npdu::parse(octets) {
        assert!(octets.ends_with(npdu.payload));
        if let Ok(Apdu::ConfirmedRequest { data, .. } | Apdu::ComplexAck { data, .. }) = Apdu::parse(npdu.payload) {
            assert!(octets.ends_with(data));
        }
    }
    if let Some((invoke, object, property)) = requested(octets) {
        assert_eq!(requested(&read_property(invoke, object, property)), Some((invoke, object, property)));
    }
    who_is(octets, 7);
    let _ = i_am_device(octets);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_octets_are_a_packet_or_not(
            octets in prop::collection::vec(prop_oneof![Just(0), Just(1), Just(8), Just(12), Just(0x0c), any::<u8>()], 0..60),
        ) {
            super::packet(&octets);
        }
    }
}
