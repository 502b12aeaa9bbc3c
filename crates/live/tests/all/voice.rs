//! Voice streams to reflectors as they are, and through a path with delay, jitter and loss.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;

use sojourn_core::Duration;
use sojourn_live::Watch;
use sojourn_live::emulator::{Link, Path, datagrams};
use sojourn_live::prober::voice::{Codec, Voice};
use sojourn_metrics::record::Record;

use crate::reflector::{Reflector, plan, recorded};

fn voice(codec: Codec, playout_ms: u64) -> Voice {
    Voice { codec, start_up: Duration::from_millis(playout_ms), ..Voice::default() }
}

/// Two seconds of sound to the reflector at an address.
fn heard(scheme: &str, address: SocketAddr, voice: Voice) -> Record {
    let mut plan = plan(Duration::from_secs(2));
    plan.schedule = voice.schedule();
    plan.sizes = vec![voice.octets()];
    plan.voice = Some(voice);
    recorded(&format!("{scheme}://{address}"), plan)
}

/// The same through a path.
fn heard_through(path: &Path, scheme: &str, voice: Voice) -> Record {
    let reflector = Reflector::at(&format!("{scheme}://127.0.0.1:0"));
    let here = "127.0.0.1:0".parse().unwrap();
    let relay = datagrams::Relay::open(here, reflector.address, path).unwrap();
    let (address, watch) = (relay.address().unwrap(), Arc::new(Watch::new()));
    let shared = watch.clone();
    let thread = thread::spawn(move || relay.run(&shared));
    let record = heard(scheme, address, voice);
    watch.cancel();
    thread.join().unwrap();
    record
}

#[test]
fn a_path_without_impairments_has_the_codecs_mos_against_every_reflector() {
    for scheme in ["udp-echo", "stamp"] {
        let reflector = Reflector::at(&format!("{scheme}://127.0.0.1:0"));
        let record = heard(scheme, reflector.address, voice(Codec::G711, 150));
        assert_eq!(record.value("loss"), 0.0, "{scheme}");
        // 20 ms of a packet, 3.75 ms that the codec looks ahead, 150 ms in the buffer, and the first delay
        let latest = record.distribution("response_time_intended").max().unwrap().seconds();
        let delay = record.value("play_out_delay");
        assert!((0.17375..=0.17375 + latest).contains(&delay), "{scheme}: {delay}, {latest}");
        // a machine that stands still for longer is heard, as an impaired path is
        if latest < 0.075 {
            assert_eq!(record.total("fifo_underflow"), 0, "{scheme}");
            assert!(record.value("mos") > 4.2, "{scheme}");
        }
        assert_eq!(record.metrics.contains_key("mos/forward"), scheme == "stamp", "only STAMP reports one-way delays");
    }
}

/// Of packets that are lost in the network alone.
fn lossy(forward: f64, reverse: f64) -> Path {
    let of = |loss| Link { loss, ..Link::default() };
    Path::of(of(forward), of(reverse), 3)
}

#[test]
fn packet_loss_in_both_directions_counts_in_each_as_it_arose() {
    let record = heard_through(&lossy(0.1, 0.1), "stamp", voice(Codec::G711_PLAIN, 150));
    for path in ["forward", "return"] {
        let lost = record.value(&format!("loss/{path}"));
        assert!((0.02..0.3).contains(&lost), "{lost}");
        assert!((record.value(&format!("play_out_loss/{path}/lost")) - lost).abs() < 1e-9);
        assert!(record.value(&format!("mos/{path}")) < 3.8);
    }
}

#[test]
fn packet_loss_in_the_forward_direction_leaves_the_return_as_it_is() {
    let record = heard_through(&lossy(0.1, 0.0), "stamp", voice(Codec::G711_PLAIN, 150));
    assert!(record.value("play_out_loss/forward/lost") > 0.02);
    assert_eq!((record.value("play_out_loss/return/lost"), record.value("loss/return")), (0.0, 0.0));
    assert!(record.value("mos/return") > record.value("mos/forward") + 0.5);
}

#[test]
fn jitter_beyond_the_playout_delay_is_playout_loss_and_a_longer_delay_removes_it() {
    let impairment = Link { delay: Duration::from_millis(60), jitter: Duration::from_millis(40), ..Link::default() };
    let path = Path::both(impairment, 3);
    let hasty = heard_through(&path, "stamp", voice(Codec::G711, 5));
    let delayed = heard_through(&path, "stamp", Voice { buffer: Duration::from_secs(20), ..voice(Codec::G711, 8000) });
    assert_eq!((hasty.value("loss"), delayed.value("loss")), (0.0, 0.0));
    assert!(hasty.value("play_out_loss") > 0.02, "{}", hasty.value("play_out_loss"));
    assert!(hasty.total("fifo_underflow") > 0);
    assert_eq!(delayed.value("play_out_loss"), 0.0);
    assert!(delayed.value("play_out_delay") > hasty.value("play_out_delay") + 7.0);
}
