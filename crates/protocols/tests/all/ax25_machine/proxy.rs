//! A station that is a proxy for others, such as a ROSE switch.

use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::v2_0;
use super::transcript::{Bytes, address};

fn switch() -> Station<Bytes> {
    let settings = Settings { frack: Duration::from_secs(1), ..v2_0() };
    Station::new([address("SWITCH-3")], Arc::new(settings)).unwrap().as_proxy(2)
}

fn path(names: &[&str]) -> Digipeaters {
    Digipeaters::new(&names.iter().map(|name| address(name)).collect::<Vec<_>>()).unwrap()
}

/// When T1 expires for a link requested over this path.
fn t1(names: &[&str]) -> Duration {
    let mut switch = switch();
    let key = LinkKey { own: address("FAR"), peer: address("NEAR"), digipeaters: path(names) };
    switch.handle(Time::ZERO, Input::Connect { key });
    switch.handle(Time::ZERO, Input::SeizeConfirm { information_frames: 1 });
    switch.next_wakeup().unwrap() - Time::ZERO
}

#[test]
fn it_responds_under_the_address_that_was_called() {
    let mut switch = switch();
    let addressing = Addressing::new(address("NEAR"), address("FAR"), Digipeaters::NONE, Role::Command);
    switch.handle(Time::ZERO, Input::Receive { frame: Frame { addressing, poll_final: true, body: Body::Sabm } });
    switch.handle(Time::ZERO, Input::SeizeConfirm { information_frames: 1 });
    let answers = std::iter::from_fn(|| switch.poll_output());
    let ua = answers.filter_map(|output| match output {
        Output::Transmit { frame, .. } => Some((frame.addressing.source, frame.body)),
        _ => None,
    });
    assert_eq!(ua.collect::<Vec<_>>(), [(address("FAR"), Body::Ua)]);
}

#[test]
fn fields_that_name_itself_do_not_lengthen_t1_and_digipeaters_beyond_them_do() {
    assert_eq!(t1(&[]), Duration::from_secs(1));
    assert_eq!(t1(&["201256", "SWITCH-3"]), Duration::from_secs(1));
    assert_eq!(t1(&["201256", "SWITCH-3", "DIGI"]), Duration::from_secs(3));
}
