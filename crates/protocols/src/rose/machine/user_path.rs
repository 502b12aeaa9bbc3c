//! The user's path: how two digipeater fields of AX.25 become a call, and a call two digipeater fields.
//!
//! A user connects to a station by way of its switch's callsign and the far switch's address, which to its TNC are two
//! digipeaters: `C PONG-2 V SWITCH-3,201256`. The switch takes frames whose next digipeater is its own call and whose
//! digipeater after that is a number, and answers in the far station's name with both marked as repeated. The exit
//! switch connects to the far station in the same way, in the caller's name; a reply by the reversed way has the form in
//! which that user would have called back: exit switch, then the entry switch's address. Digipeaters before the
//! switch's call are the user's own way to it; those after the number lie beyond the exit switch.

use crate::ax25::machine::LinkKey;
use crate::ax25::wire::{Address, Addressing, Digipeaters};
use crate::rose::wire::NetworkAddress;

/// Who calls whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UserCall {
    /// The calling station.
    pub caller: Address,
    /// The station called.
    pub called: Address,
    /// The number in the path: at entry the far switch's, at exit the entry switch's, its last digits or all.
    pub address: NetworkAddress,
    /// Digipeaters on the user's side of this switch, in the order frames from the user pass them at entry, frames to
    /// the user at exit.
    pub near: Digipeaters,
    /// Digipeaters on the far user's side, in the order frames pass them that go from the caller to the station called.
    pub far: Digipeaters,
}

impl UserCall {
    /// The call that a frame of a user belongs to, if its next digipeater is one of the switch's `calls` and a number
    /// follows.
    pub fn of_received(calls: &[Address], addressing: &Addressing) -> Option<Self> {
        let way = addressing.digipeaters;
        let position = way.iter().position(|(_, repeated)| !repeated)?;
        let own = way.iter().nth(position).is_some_and(|(own, _)| calls.contains(&own));
        if own { UserCall::of_path(addressing.source, addressing.destination, &way, position) } else { None }
    }

    /// The call that a link stands for which a user has set up, seen from the switch.
    pub fn of_link(calls: &[Address], key: &LinkKey) -> Option<Self> {
        let way = key.digipeaters.reversed();
        let position = way.iter().position(|(address, _)| calls.contains(&address))?;
        UserCall::of_path(key.peer, key.own, &way, position)
    }

    /// The call of a way whose digipeater at `position` is the switch.
    fn of_path(caller: Address, called: Address, way: &Digipeaters, position: usize) -> Option<Self> {
        let (number, _) = way.iter().nth(position + 1).filter(|(number, _)| number.ssid() == 0)?;
        let address = number.callsign().parse().ok()?;
        Some(UserCall {
            caller,
            called,
            address,
            near: part(way, 0, position),
            far: part(way, position + 2, way.len()),
        })
    }

    /// The way of the frames with which a switch of callsign `own` calls the station in the caller's name; none if it is
    /// longer than a frame may name, or the number longer than a callsign. All up to `own` counts as repeated: see
    /// [`sent_by`].
    pub fn exit_path(&self, own: Address) -> Option<Digipeaters> {
        let number = Address::new(&self.address.to_string(), 0).ok()?;
        let way = self.far.iter().map(|(address, _)| address).chain([number, own]);
        let addresses: Vec<Address> = way.chain(self.near.iter().map(|(address, _)| address)).collect();
        Digipeaters::new(&addresses).ok()
    }
}

/// The way of a frame that a user sent to the switch, as if all had repeated it: the switch is its end.
pub fn all_repeated(mut way: Digipeaters) -> Digipeaters {
    while way.next().is_some() {
        way = way.advanced();
    }
    way
}

/// The way of a frame that the switch sends: all up to the last of its own `calls` have repeated it.
pub fn repeated_up_to(calls: &[Address], way: Digipeaters) -> Digipeaters {
    let own = way.iter().enumerate().filter(|(_, (address, _))| calls.contains(address));
    let repeated = own.last().map_or(0, |(index, _)| index + 1);
    (0..repeated).fold(way.unrepeated(), |way, _| way.advanced())
}

/// The digipeaters from `start` up to `end`, repeated by none.
fn part(way: &Digipeaters, start: usize, end: usize) -> Digipeaters {
    let addresses: Vec<Address> = way.iter().map(|(address, _)| address).take(end).skip(start).collect();
    Digipeaters::new(&addresses).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ax25::wire::Role;

    fn address(text: &str) -> Address {
        text.parse().unwrap()
    }

    fn way(text: &str) -> Digipeaters {
        let names = text.split(',').filter(|name| !name.is_empty());
        let addresses: Vec<Address> = names.map(|name| address(name.trim_end_matches('*'))).collect();
        let repeated = text.matches('*').count();
        (0..repeated).fold(Digipeaters::new(&addresses).unwrap(), |way, _| way.advanced())
    }

    fn heard(digipeaters: &str) -> Option<UserCall> {
        let mut addressing = Addressing::new(address("PING"), address("PONG-2"), Digipeaters::NONE, Role::Command);
        addressing.digipeaters = way(digipeaters);
        UserCall::of_received(&[address("NODE-3")], &addressing)
    }

    #[test]
    fn the_switch_s_call_and_a_number_make_a_call() {
        let call = heard("NODE-3,201256").unwrap();
        assert_eq!((call.caller, call.called), (address("PING"), address("PONG-2")));
        assert_eq!(call.address, "201256".parse().unwrap());
        assert_eq!((call.near, call.far), (Digipeaters::NONE, Digipeaters::NONE));
    }

    #[test]
    fn digipeaters_on_either_side_belong_to_the_call() {
        let call = heard("NEAR*,NODE-3,201256,FAR1,FAR2").unwrap();
        assert_eq!((call.near, call.far), (way("NEAR"), way("FAR1,FAR2")));
    }

    #[test]
    fn a_frame_that_is_not_yet_or_no_longer_the_switch_s_is_none() {
        for digipeaters in ["", "NEAR,NODE-3,201256", "NODE-3*,201256", "NODE-3", "NODE-3,OTHER", "OTHER,201256"] {
            assert_eq!(heard(digipeaters), None, "{digipeaters}");
        }
    }

    #[test]
    fn a_link_is_of_the_call_whose_frames_made_it() {
        let mut addressing = Addressing::new(address("PING"), address("PONG-2"), Digipeaters::NONE, Role::Command);
        addressing.digipeaters = all_repeated(way("NEAR*,NODE-3,201256,FAR1,FAR2"));
        let key = LinkKey::of_received(&addressing);
        assert_eq!(UserCall::of_link(&[address("NODE-3")], &key), heard("NEAR*,NODE-3,201256,FAR1,FAR2"));
        let direct = LinkKey::direct(address("NODE-3"), address("PING"));
        assert_eq!(UserCall::of_link(&[address("NODE-3")], &direct), None);
    }

    #[test]
    fn an_answer_goes_back_as_if_the_number_and_the_switch_had_repeated_it() {
        let back = way("NEAR*,NODE-3,201256,FAR").reversed();
        let sent = repeated_up_to(&[address("NODE-3")], back);
        assert_eq!(format!("{sent:?}"), "FAR*,201256*,NODE-3*,NEAR");
    }

    #[test]
    fn the_exit_switch_calls_so_that_the_reversed_way_calls_back() {
        let call =
            UserCall { address: "908001".parse().unwrap(), near: way("EXIT"), ..heard("NODE-3,201256,FAR").unwrap() };
        let calls = [address("LAST-3")];
        let sent = repeated_up_to(&calls, call.exit_path(calls[0]).unwrap());
        assert_eq!(format!("{sent:?}"), "FAR*,908001*,LAST-3*,EXIT");
        let mut reply = Addressing::new(address("PONG-2"), address("PING"), Digipeaters::NONE, Role::Response);
        reply.digipeaters = way("EXIT*,LAST-3,908001,FAR");
        assert_eq!(UserCall::of_received(&calls, &reply).unwrap().address, "908001".parse().unwrap());
    }

    #[test]
    fn a_frame_that_arrived_is_the_switch_s_own() {
        assert_eq!(all_repeated(way("NODE-3,201256")).next(), None);
    }
}
