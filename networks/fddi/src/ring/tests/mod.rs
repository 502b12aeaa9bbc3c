//! The ring against its [`reference`]: the same frames at the same instants, the same counters, timers and rotations,
//! whatever is offered and whatever goes wrong.

mod reference;

use proptest::prelude::*;
use sojourn_core::{Duration, Time};

use super::*;
use reference::Reference;

#[derive(Clone, Debug)]
enum Act {
    Offer { mac: usize, class: Class, length: u32, count: u32 },
    LoseToken,
    Spoil(Outcome),
    Reset,
    Look { mac: usize },
}

fn micros(range: std::ops::Range<u64>) -> impl Strategy<Value = Duration> {
    (range.start * 1000..range.end * 1000).prop_map(Duration::from_nanos)
}

fn class() -> impl Strategy<Value = Class> {
    prop_oneof![Just(Class::Synchronous), (0u8..8).prop_map(Class::Asynchronous)]
}

fn discipline() -> impl Strategy<Value = Discipline> {
    prop_oneof![
        Just(Discipline::SinglePacketPerToken),
        (2u32..16).prop_map(Discipline::MultiplePacketsPerToken),
        Just(Discipline::UNLIMITED),
    ]
}

fn mac(hop: u64) -> impl Strategy<Value = MacSettings> {
    let times = (micros(0..hop), micros(1..20), micros(4_000..9_000), micros(0..3_000), any::<bool>());
    let rules = (discipline(), discipline(), prop::array::uniform8(prop_oneof![Just(Duration::ZERO), micros(0..800)]));
    (times, rules).prop_map(|((hop, latency, bid, allocation, enforce), (synchronous, asynchronous, thresholds))| {
        MacSettings {
            hop,
            latency,
            requested_ttrt: bid,
            synchronous_allocation: allocation,
            enforce_allocation: enforce,
            synchronous,
            asynchronous,
            thresholds,
            ..MacSettings::new(1)
        }
    })
}

/// Short rings, and long ones on which even an idle token can come late twice.
fn ring() -> impl Strategy<Value = RingSettings> {
    let macs = prop_oneof![
        prop::collection::vec(mac(30), 1..7),
        prop::collection::vec(mac(1), 60..90),
        prop::collection::vec(mac(1_200), 2..4),
    ];
    let ring = (macs, any::<bool>(), prop_oneof![Just(2_500u64), Just(60_000)]);
    ring.prop_map(|(mut macs, initial_rotations, tvx)| {
        for (number, mac) in (1..).zip(&mut macs) {
            mac.address = sojourn_protocols::fddi::Address::local(number);
        }
        let ring = RingSettings { initial_rotations, ..RingSettings::new(macs) };
        let valid_transmission_timer = Duration::from_micros(tvx).max(ring.latency() + LARGEST_FRAME_TIME);
        RingSettings { valid_transmission_timer, ..ring }
    })
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        12 => (any::<prop::sample::Index>(), class(), 17u32..4496, prop_oneof![5 => 1u32..4, 1 => 1u32..60]).prop_map(
            |(mac, class, length, count)| Act::Offer { mac: mac.index(1000), class, length, count }
        ),
        1 => Just(Act::LoseToken),
        1 => prop_oneof![Just(Outcome::Lost), Just(Outcome::Corrupted)].prop_map(Act::Spoil),
        1 => Just(Act::Reset),
        2 => (0usize..1000).prop_map(|mac| Act::Look { mac }),
    ]
}

fn pause() -> impl Strategy<Value = Duration> {
    prop_oneof![Just(Duration::ZERO), micros(0..50), micros(0..3_000), micros(0..80_000)]
}

fn run_before(ring: &mut Ring, end: Time, carried: &mut Vec<Carried>) {
    while ring.next_event() < end {
        carried.extend(ring.handle(ring.next_event()));
    }
}

fn agree(settings: RingSettings, acts: Vec<(Duration, Act)>) -> Result<(), TestCaseError> {
    let macs = settings.macs.len();
    let (mut ring, mut reference) = (Ring::new(settings.clone()), Reference::new(settings));
    (0..macs as u32).for_each(|mac| ring.observe(mac));
    let (mut now, mut carried, mut tag) = (Time::ZERO, Vec::new(), 0);
    for (pause, act) in acts.into_iter().chain([(Duration::from_millis(300), Act::Look { mac: 0 })]) {
        now += pause;
        run_before(&mut ring, now, &mut carried);
        reference.run_before(now);
        match act {
            Act::Offer { mac, class, length, count } => {
                let mac = (mac % macs) as u32;
                for _ in 0..count {
                    tag += 1;
                    let frame = Outgoing { tag, length };
                    if ring.offer(now, mac, class, frame).is_ok() {
                        reference.offer(mac, class, frame);
                    }
                }
            }
            Act::LoseToken => prop_assert_eq!(ring.lose_token(now), reference.lose_token(now)),
            Act::Spoil(Outcome::Lost) => {
                ring.lose_next_frame();
                reference.spoil_next_frame(Outcome::Lost);
            }
            Act::Spoil(_) => {
                ring.corrupt_next_frame();
                reference.spoil_next_frame(Outcome::Corrupted);
            }
            Act::Reset => {
                ring.reset(now);
                reference.reset();
            }
            Act::Look { mac } => look(&mut ring, &reference, mac % macs, now)?,
        }
    }
    prop_assert_eq!(&carried, &reference.carried);
    (0..macs).try_for_each(|mac| look(&mut ring, &reference, mac, now))
}

/// One MAC's counters, rotations and timer.
fn look(ring: &mut Ring, reference: &Reference, mac: usize, now: Time) -> Result<(), TestCaseError> {
    let station = &reference.stations[mac];
    prop_assert_eq!(ring.mac_tally(mac as u32, now), station.tally, "MAC {} at {}", mac, now);
    let rotations = ring.rotations(mac as u32).unwrap();
    prop_assert_eq!(rotations.bins(), station.rotations.bins(), "MAC {} at {}", mac, now);
    prop_assert_eq!(rotations.mean(), station.rotations.mean());
    if !matches!(ring.phase, Phase::Claiming) {
        let timer = ring.rotation_timer(mac as u32, now);
        prop_assert_eq!(timer, (station.trt, station.late_ct == 1), "MAC {} at {}", mac, now);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_traffic_and_any_fault_go_as_they_do_event_by_event(
        settings in ring(),
        acts in prop::collection::vec((pause(), act()), 0..40),
    ) {
        prop_assume!(settings.latency() < settings.ttrt().unwrap());
        agree(settings, acts)?;
    }
}
