//! FX.25 and IL2P compared with the binomial distribution of wrong octets.

use super::*;

const FRAMES: u32 = 20_000;

/// Probability that at most `most` of `count` independent events of this probability happen.
fn at_most(most: u32, count: u32, probability: f64) -> f64 {
    let odds = probability / (1.0 - probability);
    let terms = (0..=most).scan((1.0 - probability).powi(count as i32), |term, at| {
        let now = *term;
        *term *= odds * f64::from(count - at) / f64::from(at + 1);
        Some(now)
    });
    terms.sum()
}

/// The share of frames of `octets` octets that member 1 receives, and the mean time of a burst.
fn share(framing: Framing, bit_error_rate: f64, fading: Option<FadingSettings>, octets: u32) -> (f64, Duration) {
    let (tally, on_air) = sent(framing, bit_error_rate, fading, octets);
    (tally.good as f64 / f64::from(FRAMES), on_air)
}

/// The totals of this many frames of `octets` octets to member 1, and the mean time of a burst.
fn sent(framing: Framing, bit_error_rate: f64, fading: Option<FadingSettings>, octets: u32) -> (Tally, Duration) {
    let settings = ChannelSettings { bit_error_rate, framing, ..ChannelSettings::new(BIT_RATE) };
    let mut channel = Channel::new(settings, (0..2).map(member).collect(), Hearing::all(2));
    if let Some(fading) = fading {
        channel = channel.with_fading(fading, |one, other| Streams::new(7, 0).stream(&format!("{one}/{other}")));
    }
    let (mut sent, mut on_air) = (0, Duration::ZERO);
    channel.request(Time::ZERO, 0);
    while sent < FRAMES {
        let now = channel.next_event();
        match channel.handle(now) {
            Some(ChannelEvent::Load { member }) => {
                channel.load(now, member, [AirFrame { tag: 0, octets, translated: 16 }])
            }
            Some(ChannelEvent::Ended { start, .. }) => {
                sent += 1;
                on_air += now.since(start);
                channel.receive(1);
            }
            Some(ChannelEvent::Unkeyed { member }) => channel.request(now, member),
            _ => {}
        }
    }
    (channel.tally(channel.next_event()), on_air.divided(FRAMES.into()))
}

/// What the binomial distribution says of a block of `octets` octets that corrects `corrected`.
fn expected(octets: u32, corrected: u32, bit_error_rate: f64) -> f64 {
    let octet = 1.0 - (1.0 - bit_error_rate).powi(8);
    at_most(8, 64, bit_error_rate) * at_most(corrected, octets, octet)
}

fn assert_share(share: f64, expected: f64) {
    let deviation = (expected * (1.0 - expected) / 20_000.0).sqrt();
    assert!((share - expected).abs() < 4.0 * deviation + 1e-9, "{share} for {expected}");
}

#[test]
fn a_block_survives_with_the_probability_that_few_enough_of_its_octets_are_wrong() {
    // 100 octets and their FCS, stuffed and between flags, take 106 octets: 128 of data
    for (check, bit_error_rate) in [(16, 0.005), (16, 0.01), (32, 0.015), (64, 0.03)] {
        let (share, _) = share(Framing::Fx25 { check }, bit_error_rate, None, 100);
        assert_share(share, expected(128 + u32::from(check), u32::from(check) / 2, bit_error_rate));
    }
}

#[test]
fn on_a_path_whose_states_are_alike_it_survives_as_on_one_without_fading() {
    let fading =
        FadingSettings { bit_error_rate: 0.01, means: [Duration::from_millis(300), Duration::from_millis(70)] };
    let (share, _) = share(Framing::Fx25 { check: 16 }, 0.01, Some(fading), 100);
    assert_share(share, expected(144, 8, 0.01));
}

#[test]
fn a_frame_with_error_correction_takes_the_time_of_all_its_parts_and_a_longer_one_goes_without() {
    let time = |framing, octets| share(framing, 0.0, None, octets).1;
    let fx25 = |check| Framing::Fx25 { check };
    assert_eq!(time(fx25(16), 100), Duration::from_units(64 + 8 * 144, BIT_RATE));
    assert_eq!(time(fx25(64), 17), Duration::from_units(64 + 8 * 128, BIT_RATE));
    assert_eq!(time(fx25(32), 250), time(Framing::Hdlc, 250));
    // 16 octets are in the header, 484 in three blocks
    assert_eq!(
        time(Framing::Il2p { has_crc: false }, 500),
        Duration::from_units(24 + 8 * (15 + 484 + 3 * 16), BIT_RATE)
    );
    assert_eq!(time(Framing::Il2p { has_crc: true }, 16), Duration::from_units(24 + 8 * (15 + 4), BIT_RATE));
    assert_eq!(time(Framing::Il2p { has_crc: true }, 1040), time(Framing::Hdlc, 1040));
}

#[test]
fn a_packet_of_il2p_survives_with_the_probability_that_each_of_its_parts_does() {
    for (has_crc, bit_error_rate, fading) in [(false, 0.003, false), (true, 0.003, false), (true, 0.01, true)] {
        let means = [Duration::from_millis(300), Duration::from_millis(70)];
        let fading = fading.then_some(FadingSettings { bit_error_rate, means });
        let (share, _) = share(Framing::Il2p { has_crc }, bit_error_rate, fading, 316);
        let octet = 1.0 - (1.0 - bit_error_rate).powi(8);
        // 300 octets of payload in two blocks
        let blocks = at_most(8, 166, octet).powi(2);
        let crc = if has_crc { at_most(1, 7, bit_error_rate).powi(4) } else { 1.0 };
        assert_share(share, at_most(1, 24, bit_error_rate) * at_most(1, 15, octet) * blocks * crc);
    }
}

/// Mean and variance of a number of wrong symbols of this many, each with this probability, if at most `most` are wrong.
fn moments(most: u32, count: u32, probability: f64) -> (f64, f64) {
    let some = at_most(most, count, probability);
    let terms = |power: i32| {
        (1..=most).map(move |wrong| {
            let exactly = at_most(wrong, count, probability) - at_most(wrong - 1, count, probability);
            f64::from(wrong).powi(power) * exactly / some
        })
    };
    let mean = terms(1).sum::<f64>();
    (mean, terms(2).sum::<f64>() - mean * mean)
}

#[test]
fn the_octets_corrected_in_received_frames_are_those_that_were_wrong_and_not_the_bits_of_a_tag() {
    for (check, bit_error_rate) in [(16, 0.002), (16, 0.01), (64, 0.03)] {
        let (tally, _) = sent(Framing::Fx25 { check }, bit_error_rate, None, 100);
        let (octets, octet) = (128 + u32::from(check), 1.0 - (1.0 - bit_error_rate).powi(8));
        let (mean, variance) = moments(u32::from(check) / 2, octets, octet);
        let (good, corrected) = (tally.good as f64, tally.corrected_octets as f64);
        assert!((corrected / good - mean).abs() < 4.0 * (variance / good).sqrt(), "{corrected} of {good} for {mean}");
        let intact = at_most(0, octets, octet) / at_most(u32::from(check) / 2, octets, octet);
        let repaired = tally.repaired as f64 / good;
        let deviation = (intact * (1.0 - intact) / good).sqrt();
        assert!((1.0 - repaired - intact).abs() < 4.0 * deviation + 1e-9, "{repaired} for {intact}");
    }
}

#[test]
fn without_error_correction_or_bit_errors_no_octet_is_corrected() {
    for (framing, bit_error_rate) in [(Framing::Hdlc, 1e-3), (Framing::Il2p { has_crc: true }, 0.0)] {
        let (tally, _) = sent(framing, bit_error_rate, None, 100);
        assert!(tally.good > 0 && tally.repaired == 0 && tally.corrected_octets == 0, "{tally:?}");
    }
}
