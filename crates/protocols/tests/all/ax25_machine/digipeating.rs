//! Digipeaters: what they repeat, and links through them.

use sojourn_core::{Machine, Time};
use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::*;
use super::radio::*;
use super::transcript::{Bytes, address};

fn repeated(digipeater: &mut Digipeater<Bytes>, frame: Frame<Bytes>) -> Option<Frame<Bytes>> {
    digipeater.handle(Time::ZERO, frame);
    digipeater.poll_output()
}

#[test]
fn a_digipeater_repeats_a_frame_when_it_is_next_and_changes_only_its_h_bit() {
    let path = Digipeaters::new(&[address("ONE"), address("TWO")]).unwrap();
    let mut addressing = Addressing::new(address("FROM"), address("TO"), path, Role::Command);
    addressing.reserved = addressing.reserved.with(1, 1);
    let frame = Frame { addressing, poll_final: true, body: i(3, 5, "text") };
    let (mut one, mut two) = (Digipeater::new([address("ONE")]), Digipeater::new([address("TWO")]));
    assert_eq!(repeated(&mut two, frame.clone()), None);
    let once = repeated(&mut one, frame.clone()).unwrap();
    assert_eq!(format!("{:?}", once.addressing.digipeaters), "ONE*,TWO");
    let expected = Addressing { digipeaters: path.advanced(), ..frame.addressing };
    assert_eq!(once, Frame { addressing: expected, ..frame });
    assert_eq!(repeated(&mut one, once.clone()), None, "not again");
    let twice = repeated(&mut two, once).unwrap();
    assert_eq!(repeated(&mut two, twice), None);
}

#[test]
fn a_station_accepts_a_frame_only_when_all_digipeaters_have_repeated_it() {
    let mut lone = Lone::new(v2_0());
    let path = Digipeaters::new(&[address("DIGI")]).unwrap();
    let addressing = Addressing::new(address("PEER"), address("OWN"), path, Role::Command);
    let frame = Frame { addressing, poll_final: true, body: Body::Sabm };
    assert_eq!(lone.receive(frame.clone()), Vec::<String>::new());
    let passed = Addressing { digipeaters: path.advanced(), ..addressing };
    assert_eq!(lone.receive(Frame { addressing: passed, ..frame }), ["connected, incoming", "UA F"]);
}

#[test]
fn responses_take_the_reversed_path() {
    let mut radio = Radio::new(vec![v2_0(); 2]).with_digipeater("DIGI1").with_digipeater("DIGI2");
    radio.connect(0, 1, &["DIGI1", "DIGI2"]);
    radio.settle();
    let frames = ["A SABM P", "digipeater SABM P", "digipeater SABM P", "B connected, incoming", "B UA F"];
    assert_eq!(radio.log[..5], frames);
    assert_eq!(radio.log[5..], ["digipeater UA F", "digipeater UA F", "A connected"]);
    assert!(radio.link(1, 0, &["DIGI2", "DIGI1"]).is_some());
}
