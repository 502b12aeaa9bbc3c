//! Frames in datagrams of python-can's bus `udp_multicast`; the vectors are what its version 4.6 packs.

use proptest::prelude::*;
use sojourn_protocols::can::datagram::{DatagramError, PackError};
use sojourn_protocols::can::frame::{Content, FD_LENGTHS, Id};
use sojourn_protocols::can::fuzz;
use sojourn_protocols::can::log::Logged;

const BASE: &str = "8ba974696d657374616d70cb3ff8000000000000ae6172626974726174696f6e5f6964cd07e0ae69735f657874656e6465645f6964c2\
    af69735f72656d6f74655f6672616d65c2ae69735f6572726f725f6672616d65c2a76368616e6e656cc0a3646c6304a464617461c4040322f190\
    a569735f6664c2ae626974726174655f737769746368c2b56572726f725f73746174655f696e64696361746f72c2";
const FD: &str = "8ba974696d657374616d70cb0000000000000000ae6172626974726174696f6e5f6964ce18fef100ae69735f657874656e6465645f6964c3\
    af69735f72656d6f74655f6672616d65c2ae69735f6572726f725f6672616d65c2a76368616e6e656cc0a3646c630ca464617461c40c0000000000\
    00000000000000a569735f6664c3ae626974726174655f737769746368c3b56572726f725f73746174655f696e64696361746f72c2";
const REMOTE: &str = "8ba974696d657374616d70cb0000000000000000ae6172626974726174696f6e5f6964cd0123ae69735f657874656e6465645f6964c2\
    af69735f72656d6f74655f6672616d65c3ae69735f6572726f725f6672616d65c2a76368616e6e656cc0a3646c6304a464617461c400\
    a569735f6664c2ae626974726174655f737769746368c2b56572726f725f73746174655f696e64696361746f72c2";

fn octets(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|digit| Some(digit.to_digit(16)? as u8)).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

#[test]
fn datagrams_of_python_can_are_read_and_written_octet_by_octet() {
    let uds = Logged { id: Id::Base(0x7e0), content: Content::Data(&[3, 0x22, 0xf1, 0x90][..]) };
    let fd = Content::Fd { data: &[0; 12][..], brs: true, esi: false };
    let fd = Logged { id: Id::Extended(0x18fe_f100), content: fd };
    let remote = Logged { id: Id::Base(0x123), content: Content::Remote(4) };
    for (text, seconds, frame) in [(BASE, 1.5, uds), (FD, 0.0, fd), (REMOTE, 0.0, remote)] {
        let datagram = octets(text);
        assert_eq!(Logged::of_datagram(&datagram), Ok(frame));
        let mut written = Vec::new();
        frame.emit_datagram(seconds, &mut written);
        assert_eq!(written, datagram);
    }
}

#[test]
fn missing_keys_have_the_defaults_of_python_can_and_others_are_passed() {
    // {"arbitration_id": 5, "x": [1, {"y": -1}]}
    let datagram = [&b"\x82\xaearbitration_id\x05\xa1x"[..], &[0x92, 1, 0x81, 0xa1, b'y', 0xff]].concat();
    let empty = Logged { id: Id::Extended(5), content: Content::Data(&[][..]) };
    assert_eq!(Logged::of_datagram(&datagram), Ok(empty));
}

#[test]
fn a_datagram_that_is_no_frame_says_why() {
    let refused = |datagram: &[u8]| Logged::of_datagram(datagram).unwrap_err();
    assert_eq!(refused(b""), DatagramError::Pack(PackError::Short));
    assert_eq!(refused(b"hello"), DatagramError::Pack(PackError::NoMap(b'h')));
    assert_eq!(refused(b"\x81\x01\x01"), DatagramError::Pack(PackError::NoText(1)));
    assert_eq!(refused(b"\x80\x00"), DatagramError::Pack(PackError::Trailing(1)));
    assert_eq!(refused(b"\x80"), DatagramError::NoId);
    assert_eq!(refused(b"\x81\xa3dlc\xc1"), DatagramError::Pack(PackError::Unassigned));
    assert_eq!(refused(b"\x81\xa5is_fd\x01").to_string(), "`is_fd` is true or false");
    let flagged =
        |name: &[u8]| [&b"\x82\xaearbitration_id\x05"[..], &[0xa0 | name.len() as u8], name, &[0xc3]].concat();
    assert_eq!(refused(&flagged(b"is_error_frame")), DatagramError::Driver);
    let id = b"\x82\xaearbitration_id\xcd\x08\x00\xaeis_extended_id\xc2";
    assert_eq!(refused(id).to_string(), "identifier 800h has more than 11 bits");
    let nine = [&b"\x82\xaearbitration_id\x05\xa4data\xc4\x09"[..], &[0; 9]].concat();
    assert_eq!(refused(&nine), DatagramError::Length(9));
    // an array that claims four milliards of values ends where the datagram does
    assert_eq!(refused(b"\x81\xa1x\xdd\xff\xff\xff\xff"), DatagramError::Pack(PackError::Short));
}

fn any_frame() -> impl Strategy<Value = Logged<Vec<u8>>> {
    let id = prop_oneof![(0..=0x7ff_u16).prop_map(Id::Base), (0..=0x1fff_ffff_u32).prop_map(Id::Extended)];
    let fd = (0..FD_LENGTHS.len(), any::<[bool; 2]>(), any::<u8>()).prop_map(|(code, [brs, esi], octet)| {
        let data = vec![octet; FD_LENGTHS[code].into()];
        Content::Fd { data, brs, esi }
    });
    let classic = proptest::collection::vec(any::<u8>(), 0..=8).prop_map(Content::Data);
    let content = prop_oneof![classic, (0..=8_u8).prop_map(Content::Remote), fd];
    (id, content).prop_map(|(id, content)| Logged { id, content })
}

proptest! {
    #[test]
    fn every_frame_is_written_and_read_as_the_same(frame in any_frame(), seconds in any::<f64>()) {
        let mut datagram = Vec::new();
        frame.emit_datagram(seconds, &mut datagram);
        let mut again = Vec::new();
        Logged::of_datagram(&datagram).unwrap().emit_datagram(seconds, &mut again);
        prop_assert_eq!(datagram, again);
    }

    #[test]
    fn any_octets_are_read_or_refused(octets in proptest::collection::vec(any::<u8>(), 0..300)) {
        fuzz::datagram(&octets);
    }

    #[test]
    fn a_damaged_datagram_is_read_or_refused(at in 0_usize..160, octet in any::<u8>(), end in 0_usize..200) {
        let mut datagram = octets(BASE);
        let length = datagram.len();
        datagram[at % length] = octet;
        datagram.truncate(end.max(1));
        fuzz::datagram(&datagram);
    }
}
