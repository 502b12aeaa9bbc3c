//! The AX.25 part of a URL: the far station, the digipeaters, and a few options.
//!
//! ```text
//! /CALL-7?via=DIGI1,DIGI2&port=1
//! ```

use std::ops::Range;

use sojourn_protocols::ax25::wire::{Address, DIGIPEATER_LIMIT, Digipeaters};
use sojourn_scenario::{Problem, Problems, hint};

use crate::target::Target;

/// Far station and route of a URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// Callsign of the remote station; none for a monitor.
    pub peer: Option<Address>,
    /// The digipeaters of the path to it.
    pub digipeaters: Digipeaters,
    /// KISS: the TNC's radio port, 0 to 15.
    pub radio: u8,
    /// AXUDP: the UDP port of this end.
    pub local: Option<u16>,
}

impl Route {
    /// Parses the URL from `rest` on; `options` are allowed in its query in addition to `via`.
    pub fn parse(target: &Target, rest: Range<usize>, options: &[&str]) -> Result<Route, Problems> {
        let mut route = Route::default();
        let text = &target.with_secrets()[rest.clone()];
        let query = text.find(['?', '&']).map_or(rest.end, |at| rest.start + at);
        let call = rest.start..query;
        if let Some(name) = target.with_secrets()[call.clone()].strip_prefix('/').filter(|name| !name.is_empty()) {
            route.peer = Some(address(target, name, call.start + 1)?);
        }
        let mut at = query + 1;
        for field in target.with_secrets().get(at..rest.end).unwrap_or_default().split('&') {
            if !field.is_empty() {
                route.field(target, field, at, options)?;
            }
            at += field.len() + 1;
        }
        Ok(route)
    }

    /// The far station, which is required.
    pub fn peer(&self, target: &Target) -> Result<Address, Problem> {
        self.peer.ok_or_else(|| {
            target
                .whole_problem("the far station is missing")
                .help(format!("end the URL with its callsign: {target}/CALL-7"))
        })
    }

    /// Refuses a URL with a far station.
    pub fn require_no_peer(&self, target: &Target) -> Result<(), Problem> {
        match self.peer {
            Some(peer) => Err(target.whole_problem(format!("this command takes no far station: leave /{peer} out"))),
            None => Ok(()),
        }
    }

    fn field(&mut self, target: &Target, field: &str, at: usize, options: &[&str]) -> Result<(), Problem> {
        let (name, value) = field.split_once('=').unwrap_or((field, ""));
        let place = at + field.len() - value.len()..at + field.len();
        let number = |most: u16| {
            let number = value.parse::<u16>().ok().filter(|number| *number <= most);
            number.ok_or_else(|| {
                target.problem(place.clone(), format!("`{value}` is not a whole number from 0 to {most}"))
            })
        };
        match name {
            "via" => self.digipeaters = digipeaters(target, value, place.start)?,
            "port" if options.contains(&"port") => self.radio = number(15)? as u8,
            "local" if options.contains(&"local") => self.local = Some(number(u16::MAX)?),
            _ => {
                let known = options.iter().copied().chain(["via"]);
                let message = format!("{} has no option `{name}`", target.scheme());
                return Err(target.problem(at..at + name.len(), message).maybe_help(hint::suggestion(name, known)));
            }
        }
        Ok(())
    }
}

fn digipeaters(target: &Target, list: &str, start: usize) -> Result<Digipeaters, Problem> {
    let (mut at, mut addresses) = (start, Vec::new());
    for name in list.split(',') {
        addresses.push(address(target, name, at)?);
        at += name.len() + 1;
    }
    Digipeaters::new(&addresses).map_err(|_| {
        let message = format!("{} digipeaters are more than {DIGIPEATER_LIMIT}", addresses.len());
        target.problem(start..start + list.len(), message)
    })
}

/// A callsign that stands in the URL at `at`.
fn address(target: &Target, name: &str, at: usize) -> Result<Address, Problem> {
    name.parse().map_err(|fault| {
        let help = "one to six letters and digits, and an SSID of 0 to 15 after a hyphen: CALL-7";
        target.problem(at..at + name.len(), format!("`{name}` is not a callsign: {fault}")).help(help)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Route, Problem> {
        let target = Target::parse(text, &["kiss+tcp"]).unwrap();
        let start = text[11..].find(['/', '?']).map_or(text.len(), |at| at + 11);
        Route::parse(&target, start..text.len(), &["port"]).map_err(|problems| problems.0[0].clone())
    }

    fn call(text: &str) -> Address {
        text.parse().unwrap()
    }

    #[test]
    fn a_url_names_the_far_station_the_digipeaters_and_the_radio_port() {
        let route = parse("kiss+tcp://h:1/CALL-7?via=DIGI1,DIGI2-3&port=2").unwrap();
        assert_eq!((route.peer, route.radio), (Some(call("CALL-7")), 2));
        assert_eq!(route.digipeaters, Digipeaters::new(&[call("DIGI1"), call("DIGI2-3")]).unwrap());
        assert_eq!(parse("kiss+tcp://h:1").unwrap(), Route::default());
        assert_eq!(parse("kiss+tcp://h:1/").unwrap(), Route::default());
    }

    #[test]
    fn every_error_has_its_place() {
        let place = |text: &str| parse(text).unwrap_err().place.unwrap().span;
        assert_eq!(place("kiss+tcp://h:1/CALL-16"), 15..22);
        assert_eq!(place("kiss+tcp://h:1/TOOLONG"), 15..22);
        assert_eq!(place("kiss+tcp://h:1/A?via=B,C%"), 23..25);
        assert_eq!(place("kiss+tcp://h:1/A?port=16"), 22..24);
        assert_eq!(place("kiss+tcp://h:1/A?via=B&vai=C"), 23..26);
        assert_eq!(parse("kiss+tcp://h:1/A?prt=1").unwrap_err().help.unwrap(), "did you mean `port`?");
        assert_eq!(place("kiss+tcp://h:1/A?via=B,B,B,B,B,B,B,B,B"), 21..38);
    }
}
