//! NAT rebinding: the address or port of this host that the peer sees changes while this host's own socket stays.

use sojourn_core::Time;
use sojourn_metrics::results::{PathFinding, Setting};

use super::finding;
use crate::prober::packets::Packet;
use crate::prober::peer::Rebinding;

/// The finding: the change was before the first request that stayed without a response for it.
pub fn of(rebinding: &Rebinding, packets: &[Packet], began: Time) -> PathFinding {
    let Rebinding { found, old, new } = *rebinding;
    let before = &packets[..packets.partition_point(|packet| packet.sent < found)];
    let silent = before.iter().rev().take_while(|packet| packet.received.is_none()).last();
    let at = silent.map_or(found, |packet| packet.sent).since(began).seconds();
    let text = format!(
        "after {at:.1} s the peer sees this host at {new} instead of {old}: NAT on the path was rebound, and the session \
         opened again"
    );
    let values = [("old", old), ("new", new)];
    let values = values.map(|(name, address)| (name.to_owned(), Setting::Word(address.to_string())));
    PathFinding { at: Some(at), values: values.into(), ..finding("rebinding", None, text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Duration;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn a_rebinding_is_at_the_first_request_that_was_silent_for_it() {
        // one of those before was lost by itself
        let answered = [true, false, true, true, false, false, true];
        let packets: Vec<Packet> = (0..)
            .zip(answered)
            .map(|(number, is_answered)| {
                let sent = at(1000 + 100 * number);
                Packet { intended: sent, sent, received: is_answered.then_some(sent), ..Packet::default() }
            })
            .collect();
        let [old, new] = ["192.0.2.1:4000", "192.0.2.1:4001"].map(|text| text.parse().unwrap());
        let found = of(&Rebinding { found: at(1550), old, new }, &packets, at(1000));
        assert_eq!(found.at, Some(0.4));
        assert!(
            found.text.starts_with("after 0.4 s the peer sees this host at 192.0.2.1:4001 instead of 192.0.2.1:4000")
        );
        assert_eq!(found.values["new"], Setting::Word("192.0.2.1:4001".into()));
    }
}
