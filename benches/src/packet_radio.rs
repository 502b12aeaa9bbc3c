//! Packet radio: a saturated radio channel, and nodes that exchange routing broadcasts.

use std::fmt::Write;

use sojourn_core::{Duration, Streams, Time};
use sojourn_metrics::Observation;
use sojourn_packet_radio::medium::{
    AirFrame, Channel, ChannelEvent, ChannelSettings, Hearing, MemberSettings, Received,
};

use crate::clock::timed;
use crate::scenarios;

/// Columns of the grid of nodes.
const COLUMNS: usize = 20;

/// Frames per second of CPU time on a channel of 9600 bit/s whose `stations` send a frame of 128 octets of
/// information each time; each takes a slot with probability 1 / `stations`, and the next station listens.
pub fn channel(stations: u32, frames: u64) -> f64 {
    let streams = Streams::new(1, 0);
    let member = |number: u32| {
        let stream = |what: &str| streams.stream(&format!("station/{number}/{what}"));
        MemberSettings {
            persistence: 1.0 / f64::from(stations),
            txdelay: Duration::from_millis(100),
            ..MemberSettings::new(stream("access"), stream("noise"))
        }
    };
    let members = (0..stations).map(member).collect();
    let mut channel = Channel::new(ChannelSettings::new(9600), members, Hearing::all(stations));
    (0..stations).for_each(|member| channel.request(Time::ZERO, member));
    let (seconds, good) = timed(|| {
        let (mut ended, mut good) = (0, 0);
        while ended < frames {
            let now = channel.next_event();
            match channel.handle(now) {
                Some(ChannelEvent::Load { member }) => {
                    channel.load(now, member, [AirFrame { tag: member, octets: 144, translated: 0 }])
                }
                Some(ChannelEvent::Ended { member, .. }) => {
                    ended += 1;
                    good += u64::from(channel.receive((member + 1) % stations) == Received::Good);
                }
                Some(ChannelEvent::Unkeyed { member }) => channel.request(now, member),
                _ => {}
            }
        }
        good
    });
    assert!(good > frames / 4, "{good} of {frames} frames came in");
    frames as f64 / seconds
}

/// The same as a scenario with complete stations: frames per second of CPU time, collided ones included, over `seconds` of
/// virtual time.
pub fn stations(stations: u32, seconds: u64) -> f64 {
    let text = format!(
        "[network]\nkind = \"packet-radio\"\n\
         [[medium]]\nname = \"air\"\nbit_rate = \"9600 bit/s\"\ntxdelay = \"100 ms\"\n\
         txtail = \"0 s\"\npersistence = \"{} %\"\n\
         [[station]]\nname = \"station\"\ncount = {stations}\non = [\"air\"]\n\
         [[flow]]\nname = \"traffic\"\nfrom = \"station\"\nto = \"partner\"\ndata = \"128 B\"\nqueue = 1\n\
         arrivals = {{ kind = \"saturating\" }}\n",
        100.0 / f64::from(stations)
    );
    let (processor, record) = scenarios::run("packet radio", &text, Duration::from_secs(seconds));
    let Some(Observation::Count(good)) = record.metrics.get("packets") else { panic!("packets are counted") };
    let collided = record.value("collision_rate");
    *good as f64 / (1.0 - collided) / processor
}

/// Simulated seconds per second of CPU time of `count` X-1J4 nodes in a grid on one channel of 9600 bit/s, each of
/// which hears its four neighbours and broadcasts its routes every half hour; one of them identifies itself.
pub fn nodes(count: usize, seconds: u64) -> f64 {
    let (processor, _) = scenarios::run("nodes", &grid(count), Duration::from_secs(seconds));
    seconds as f64 / processor
}

/// A grid of nodes that start without routes.
fn grid(count: usize) -> String {
    let mut text = String::from(
        r#"
[network]
kind = "packet-radio"
[channel]
bit_rate = "9600 bit/s"
[[flow]]
name = "identification"
from = "node-0"
to = "broadcast"
service = "unnumbered"
data = "32 B"
arrivals = { kind = "periodic", interval = "10 min" }
"#,
    );
    for node in 0..count {
        let column = node % COLUMNS;
        let beside = [(column > 0).then(|| node - 1), (column + 1 < COLUMNS).then_some(node + 1)];
        let heard = beside.into_iter().chain([node.checked_sub(COLUMNS), Some(node + COLUMNS)]).flatten();
        let names: Vec<String> =
            heard.filter(|other| *other < count).map(|other| format!("\"node-{other}\"")).collect();
        write!(
            text,
            r#"
[[station]]
name = "node-{node}"
type = "node"
hears = [{}]
netrom = {{ radio_quality = 250, min_quality = 10, nodes_limit = 400, starts_converged = false }}
"#,
            names.join(", ")
        )
        .expect("text grows");
    }
    text
}
