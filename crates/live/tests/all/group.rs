//! A request to a group: every member answers for itself.

use std::net::{IpAddr, Ipv4Addr};

use sojourn_core::Duration;
use sojourn_live::find;
use sojourn_live::transport::Listening;
use sojourn_metrics::record::{Observation, Record};

use crate::reflector::{Reflector, plan, recorded};
use crate::waiting::free_port;

/// Scoped to one organisation (RFC 2365), and joined on the loopback alone.
const GROUP: &str = "239.255.77.7";

fn member(port: u16, host: u8) -> Reflector {
    Reflector::at(&format!("udp-echo://{GROUP}:{port}?interface=127.0.0.{host}"))
}

fn asked(port: u16) -> Record {
    let mut plan = plan(Duration::from_millis(500));
    plan.marking.bind = Some(IpAddr::V4(Ipv4Addr::LOCALHOST));
    recorded(&format!("udp-echo://{GROUP}:{port}"), plan)
}

#[test]
fn three_members_respond_and_each_is_reported_by_its_address() {
    let port = free_port();
    let _members = [member(port, 2), member(port, 3), member(port, 4)];
    let record = asked(port);
    for host in [2, 3, 4] {
        let name = format!("127.0.0.{host}:{port}");
        assert_eq!(record.distribution(&format!("response_time/{name}")).count(), 50);
        assert_eq!(record.value(&format!("loss/{name}")), 0.0);
    }
    assert_eq!(
        (record.distribution("response_time").count(), record.distribution("transaction_time").count()),
        (50, 50)
    );
    let [first, last] = ["response_time", "transaction_time"].map(|name| record.distribution(name));
    assert!(first.mean() < last.mean(), "the first answer comes before the last");
    assert_eq!(record.metrics["duplicates"], Observation::Count(0), "three answers are not duplicates");
}

#[test]
fn a_member_that_loses_responses_has_its_own_loss() {
    let port = free_port();
    let _faithful = member(port, 2);
    let lossy = Listening { seed: 1, inject_loss: 0.3, ..Listening::default() };
    let _lossy = Reflector::with(&format!("udp-echo://{GROUP}:{port}?interface=127.0.0.3"), lossy);
    let record = asked(port);
    let lost = record.value(&format!("loss/127.0.0.3:{port}"));
    assert!((0.1..0.6).contains(&lost), "{lost}");
    assert_eq!(record.value(&format!("loss/127.0.0.2:{port}")), 0.0);
    assert_eq!(record.value("loss"), 0.0, "every request was answered by a member");
    assert_eq!(record.metrics["transaction_failures"], Observation::Count((lost * 50.0).round() as u64));
}

#[test]
fn a_group_is_joined_on_the_interface_of_the_url_and_only_groups_take_one() {
    let refused = |url: &str| {
        let (transport, target) = find(url).unwrap();
        transport.listen(&target, Listening::default()).map(drop).unwrap_err().0[0].message.clone()
    };
    assert_eq!(
        refused("udp-echo://127.0.0.1:17009?interface=127.0.0.1"),
        "`interface` is for multicast groups, and 127.0.0.1 is not a multicast address"
    );
    assert_eq!(refused("udp-echo://239.1.2.3:17009?interface=lo"), "`lo` is not an IPv4 address of this host");
    assert_eq!(
        refused("udp-echo://127.0.0.1:17009?interval=1"),
        "udp-echo takes a host and a port, nothing after them"
    );
    assert_eq!(
        refused("udp-echo://239.1.2.3:17009?interval=1"),
        "udp-echo takes a host and a port, nothing after them"
    );
    assert_eq!(
        refused("udp-echo://[ff02::1]:17009"),
        "this group is on every link: name the interface, [ff02::1%eth0]"
    );
    assert_eq!(refused("udp-echo://[ff02::1]:17009?interface=2001:db8::7"), "this host has no address 2001:db8::7");
    assert_eq!(
        refused("udp-echo://[ff02::1]:17009?interface=127.0.0.1"),
        "`127.0.0.1` is not an IPv6 address of this host"
    );
    assert_eq!(refused("udp-echo://[ff02::1%nowhere]:17009"), "this host has no interface `nowhere`");
}
