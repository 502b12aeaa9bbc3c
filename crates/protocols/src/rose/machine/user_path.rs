//! The user's path: conversion between two digipeater fields of AX.25 and a ROSE call.
//!
//! A user connects to a station via its switch's callsign and the remote switch's address, which to its TNC are two
//! digipeaters: `C PONG-2 V SWITCH-3,201256`. The switch accepts frames whose next digipeater is its own callsign and
//! whose digipeater after that is a number, and responds under the remote station's callsign with both marked as
//! repeated. The exit
//! switch connects to the remote station likewise, under the caller's callsign; a reply along the reversed path has the
//! form in which that user would call back: exit switch, then the entry switch's address. Digipeaters before the
//! switch's callsign lie between the user and the switch; those after the number lie beyond the exit switch.

use crate::ax25::machine::LinkKey;
use crate::ax25::wire::{Address, Addressing, Digipeaters};
use crate::rose::wire::NetworkAddress;

/// The parties of a call and the digipeaters on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UserCall {
    /// The callsign of the calling station.
    pub caller: Address,
    /// The callsign of the station called.
    pub called: Address,
    /// The number in the path: at entry the remote switch's, at exit the entry switch's, its last digits or all.
    pub address: NetworkAddress,
    /// Digipeaters between this switch and its user, in the order of the path from the user at entry, to the user at exit.
    pub near: Digipeaters,
    /// Digipeaters on the remote user's side, in the order of the path from the caller to the station called.
    pub far: Digipeaters,
}

impl UserCall {
    /// The call that a received frame belongs to, if its next digipeater is one of the switch's `calls` and a number follows.
    pub fn of_received(calls: &[Address], addressing: &Addressing) -> Option<Self> {
        let path = addressing.digipeaters;
        let position = path.iter().position(|(_, repeated)| !repeated)?;
        let own = path.iter().nth(position).is_some_and(|(own, _)| calls.contains(&own));
        if own { UserCall::of_path(addressing.source, addressing.destination, &path, position) } else { None }
    }

    /// The call that a user's link represents, as seen by the switch.
    pub fn of_link(calls: &[Address], key: &LinkKey) -> Option<Self> {
        let path = key.digipeaters.reversed();
        let position = path.iter().position(|(address, _)| calls.contains(&address))?;
        UserCall::of_path(key.peer, key.own, &path, position)
    }

    /// The call of a path whose digipeater at `position` is the switch.
    fn of_path(caller: Address, called: Address, path: &Digipeaters, position: usize) -> Option<Self> {
        let (number, _) = path.iter().nth(position + 1).filter(|(number, _)| number.ssid() == 0)?;
        let address = number.callsign().parse().ok()?;
        Some(UserCall {
            caller,
            called,
            address,
            near: part(path, 0, position),
            far: part(path, position + 2, path.len()),
        })
    }

    /// The path with which a switch of callsign `own` connects to the station under the caller's callsign; `None` if it has
    /// more than eight digipeaters, or the number is longer than a callsign. All up to `own` counts as repeated: see
    /// [`repeated_up_to`].
    pub fn exit_path(&self, own: Address) -> Option<Digipeaters> {
        let number = Address::new(&self.address.to_string(), 0).ok()?;
        let path = self.far.iter().map(|(address, _)| address).chain([number, own]);
        let addresses: Vec<Address> = path.chain(self.near.iter().map(|(address, _)| address)).collect();
        Digipeaters::new(&addresses).ok()
    }
}

/// The path of a frame that a user sent to the switch with all H bits set: the switch terminates it.
pub fn all_repeated(mut path: Digipeaters) -> Digipeaters {
    while path.next().is_some() {
        path = path.advanced();
    }
    path
}

/// The path of a frame that the switch sends: H is set up to the last of its own `calls`.
pub fn repeated_up_to(calls: &[Address], path: Digipeaters) -> Digipeaters {
    let own = path.iter().enumerate().filter(|(_, (address, _))| calls.contains(address));
    let repeated = own.last().map_or(0, |(index, _)| index + 1);
    (0..repeated).fold(path.unrepeated(), |path, _| path.advanced())
}

/// The digipeaters from `start` up to `end`, all H bits clear.
fn part(path: &Digipeaters, start: usize, end: usize) -> Digipeaters {
    let addresses: Vec<Address> = path.iter().map(|(address, _)| address).take(end).skip(start).collect();
    Digipeaters::new(&addresses).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ax25::wire::Role;

    fn address(text: &str) -> Address {
        text.parse().unwrap()
    }

    fn path(text: &str) -> Digipeaters {
        let names = text.split(',').filter(|name| !name.is_empty());
        let addresses: Vec<Address> = names.map(|name| address(name.trim_end_matches('*'))).collect();
        let repeated = text.matches('*').count();
        (0..repeated).fold(Digipeaters::new(&addresses).unwrap(), |path, _| path.advanced())
    }

    fn received(digipeaters: &str) -> Option<UserCall> {
        let mut addressing = Addressing::new(address("PING"), address("PONG-2"), Digipeaters::NONE, Role::Command);
        addressing.digipeaters = path(digipeaters);
        UserCall::of_received(&[address("NODE-3")], &addressing)
    }

    #[test]
    fn the_switch_s_call_and_a_number_make_a_call() {
        let call = received("NODE-3,201256").unwrap();
        assert_eq!((call.caller, call.called), (address("PING"), address("PONG-2")));
        assert_eq!(call.address, "201256".parse().unwrap());
        assert_eq!((call.near, call.far), (Digipeaters::NONE, Digipeaters::NONE));
    }

    #[test]
    fn digipeaters_on_either_side_belong_to_the_call() {
        let call = received("NEAR*,NODE-3,201256,FAR1,FAR2").unwrap();
        assert_eq!((call.near, call.far), (path("NEAR"), path("FAR1,FAR2")));
    }

    #[test]
    fn a_frame_not_addressed_to_the_switch_has_no_call() {
        for digipeaters in ["", "NEAR,NODE-3,201256", "NODE-3*,201256", "NODE-3", "NODE-3,OTHER", "OTHER,201256"] {
            assert_eq!(received(digipeaters), None, "{digipeaters}");
        }
    }

    #[test]
    fn a_link_represents_the_call_of_its_frames() {
        let mut addressing = Addressing::new(address("PING"), address("PONG-2"), Digipeaters::NONE, Role::Command);
        addressing.digipeaters = all_repeated(path("NEAR*,NODE-3,201256,FAR1,FAR2"));
        let key = LinkKey::of_received(&addressing);
        assert_eq!(UserCall::of_link(&[address("NODE-3")], &key), received("NEAR*,NODE-3,201256,FAR1,FAR2"));
        let direct = LinkKey::direct(address("NODE-3"), address("PING"));
        assert_eq!(UserCall::of_link(&[address("NODE-3")], &direct), None);
    }

    #[test]
    fn a_reply_is_marked_as_repeated_by_the_number_and_the_switch() {
        let back = path("NEAR*,NODE-3,201256,FAR").reversed();
        let sent = repeated_up_to(&[address("NODE-3")], back);
        assert_eq!(format!("{sent:?}"), "FAR*,201256*,NODE-3*,NEAR");
    }

    #[test]
    fn the_reversed_path_of_the_exit_switch_calls_back() {
        let call = UserCall {
            address: "908001".parse().unwrap(),
            near: path("EXIT"),
            ..received("NODE-3,201256,FAR").unwrap()
        };
        let calls = [address("LAST-3")];
        let sent = repeated_up_to(&calls, call.exit_path(calls[0]).unwrap());
        assert_eq!(format!("{sent:?}"), "FAR*,908001*,LAST-3*,EXIT");
        let mut reply = Addressing::new(address("PONG-2"), address("PING"), Digipeaters::NONE, Role::Response);
        reply.digipeaters = path("EXIT*,LAST-3,908001,FAR");
        assert_eq!(UserCall::of_received(&calls, &reply).unwrap().address, "908001".parse().unwrap());
    }

    #[test]
    fn a_received_frame_is_terminated_by_the_switch() {
        assert_eq!(all_repeated(path("NODE-3,201256")).next(), None);
    }
}
