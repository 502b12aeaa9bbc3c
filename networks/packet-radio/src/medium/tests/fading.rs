//! Two-state fading compared with the closed forms of the Gilbert-Elliott channel in continuous time.
//!
//! With the generator Q of the two states and the rates of bit errors L on their diagonal, the states of a path on which a
//! frame of length T has no error follow exp((Q - L) T), and those over a gap G without frames exp(Q G).

use sojourn_core::Stream;

use super::*;

const BIT_ERROR_RATES: [f64; 2] = [2e-5, 3e-3];

/// A matrix over the good and the bad state.
type Matrix = [[f64; 2]; 2];

/// exp(M t) of a 2 x 2 matrix, by its eigenvalues.
fn exponential(m: Matrix, t: f64) -> Matrix {
    let mean = (m[0][0] + m[1][1]) / 2.0;
    let determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    let root = (mean * mean - determinant).sqrt();
    let scale = libm::exp(mean * t);
    let (even, odd) = (scale * libm::cosh(root * t), scale * libm::sinh(root * t) / root);
    std::array::from_fn(|row| {
        std::array::from_fn(|column| {
            let unit = if row == column { 1.0 } else { 0.0 };
            even * unit + odd * (m[row][column] - mean * unit)
        })
    })
}

fn times(states: [f64; 2], m: Matrix) -> [f64; 2] {
    std::array::from_fn(|column| states[0] * m[0][column] + states[1] * m[1][column])
}

/// The settings, and the matrices of a gap and of a frame of 272 octets without an error.
fn path(means: [Duration; 2]) -> (FadingSettings, impl Fn(Duration) -> Matrix, Matrix) {
    let [leaves_good, leaves_bad] = means.map(|mean| 1.0 / mean.seconds());
    let chain = [[-leaves_good, leaves_good], [leaves_bad, -leaves_bad]];
    let rates = BIT_ERROR_RATES.map(|rate| -libm::log1p(-rate) * BIT_RATE as f64);
    let killed = [[chain[0][0] - rates[0], chain[0][1]], [chain[1][0], chain[1][1] - rates[1]]];
    let settings = FadingSettings { bit_error_rate: BIT_ERROR_RATES[1], means };
    (settings, move |gap| exponential(chain, gap.seconds()), exponential(killed, air_time(1).seconds()))
}

/// The share of time in each state.
fn stationary(means: [Duration; 2]) -> [f64; 2] {
    let both: f64 = means.map(Duration::seconds).iter().sum();
    means.map(|mean| mean.seconds() / both)
}

/// Outcomes of frames that member 0 sends to member 1 with this gap from end to start, more than TXDELAY.
fn outcomes(settings: FadingSettings, gap: Duration, frames: usize) -> Vec<bool> {
    let channel_settings = ChannelSettings { bit_error_rate: BIT_ERROR_RATES[0], ..ChannelSettings::new(BIT_RATE) };
    let mut channel = Channel::new(channel_settings, (0..2).map(member).collect(), Hearing::all(2))
        .with_fading(settings, |one, other| Streams::new(7, 0).stream(&format!("fading/{one}/{other}")));
    let mut outcomes = Vec::new();
    channel.request(Time::ZERO, 0);
    while outcomes.len() < frames {
        let now = channel.next_event();
        match channel.handle(now) {
            Some(ChannelEvent::Load { member }) => channel.load(now, member, [frame(0)]),
            Some(ChannelEvent::Ended { .. }) => {
                outcomes.push(channel.receive(1) == Received::Good);
            }
            Some(ChannelEvent::Unkeyed { .. }) => {
                channel.request(now + gap.saturating_sub(milliseconds(100)), 0);
            }
            _ => {}
        }
    }
    outcomes
}

const CASES: [([u64; 2], u64); 4] = [([300, 100], 100), ([300, 100], 400), ([2_000, 500], 100), ([60, 40], 5_000)];

#[test]
fn a_frame_survives_with_the_probability_of_the_gilbert_elliott_channel() {
    for (means, gap) in CASES {
        let (means, gap) = (means.map(milliseconds), milliseconds(gap));
        let (settings, _, survives) = path(means);
        let found = outcomes(settings, gap, 60_000);
        let share = found.iter().filter(|good| **good).count() as f64 / found.len() as f64;
        let expected: f64 = times(stationary(means), survives).iter().sum();
        // frames of one state are alike: as many independent ones as states, at least
        let independent = found.len() as f64 * (gap.seconds() / means[0].seconds()).min(1.0) / 2.0;
        let tolerance = 4.0 * (expected * (1.0 - expected) / independent).sqrt();
        assert!((share - expected).abs() < tolerance && tolerance < 0.05, "{means:?}: {share} {expected} {tolerance}");
    }
}

#[test]
fn frames_after_a_loss_are_lost_as_often_as_the_state_lasts() {
    for (means, gap) in CASES {
        let (means, gap) = (means.map(milliseconds), milliseconds(gap));
        let (settings, over_gap, survives) = path(means);
        let found = outcomes(settings, gap, 60_000);
        let lost: Vec<_> = found.windows(2).filter(|pair| !pair[0]).collect();
        let share = lost.iter().filter(|pair| !pair[1]).count() as f64 / lost.len() as f64;
        // P(both lost) = 1 - 2 P(good) + P(both good), of a chain in its stationary state
        let one: f64 = times(stationary(means), survives).iter().sum();
        let both: f64 = times(times(times(stationary(means), survives), over_gap(gap)), survives).iter().sum();
        let expected = (1.0 - 2.0 * one + both) / (1.0 - one);
        let independent = lost.len() as f64 * (gap.seconds() / means[1].seconds()).min(1.0) / 2.0;
        let tolerance = 4.0 * (expected * (1.0 - expected) / independent).sqrt();
        assert!((share - expected).abs() < tolerance && tolerance < 0.1, "{means:?}: {share} {expected} {tolerance}");
    }
}

#[test]
fn with_the_same_errors_in_both_states_frames_are_lost_independently() {
    let fading = FadingSettings { bit_error_rate: BIT_ERROR_RATES[0], means: [milliseconds(300), milliseconds(100)] };
    let found = outcomes(fading, milliseconds(100), 60_000);
    let share = found.iter().filter(|good| **good).count() as f64 / found.len() as f64;
    let bits = air_time(1).seconds() * BIT_RATE as f64;
    let expected = libm::pow(1.0 - BIT_ERROR_RATES[0], bits);
    assert!((share - expected).abs() < 4.0 * (expected * (1.0 - expected) / 60_000.0).sqrt(), "{share} {expected}");
}

/// What two members that send in turn lose of each other's frames, by whether the frame before was lost.
fn in_turn(full_duplex: bool) -> [f64; 2] {
    let means = [Duration::from_secs(20), Duration::from_secs(10)];
    let settings = FadingSettings { bit_error_rate: 0.1, means };
    let members = (0..2).map(|number| MemberSettings { full_duplex, ..member(number) }).collect();
    let stream = |one: u32, other: u32| -> Stream { Streams::new(3, 0).stream(&format!("{one}/{other}")) };
    let mut channel =
        Channel::new(ChannelSettings::new(BIT_RATE), members, Hearing::all(2)).with_fading(settings, stream);
    let (mut counts, mut before) = ([[0u32; 2]; 2], false);
    channel.request(Time::ZERO, 0);
    for _ in 0..200_000 {
        let now = channel.next_event();
        match channel.handle(now) {
            Some(ChannelEvent::Load { member }) => channel.load(now, member, [frame(0)]),
            Some(ChannelEvent::Ended { member, .. }) => {
                let lost = channel.receive(1 - member) != Received::Good;
                counts[usize::from(before)][usize::from(lost)] += 1;
                before = lost;
            }
            Some(ChannelEvent::Unkeyed { member }) => channel.request(now, 1 - member),
            _ => {}
        }
    }
    counts.map(|[good, lost]| f64::from(lost) / f64::from(good + lost))
}

#[test]
fn both_directions_of_one_frequency_fade_together_and_those_of_two_apart() {
    // bad states of 10 s see about 25 frames
    let [after_good, after_loss] = in_turn(false);
    assert!(after_good < 0.05 && after_loss > 0.9, "{after_good} {after_loss}");
    let [after_good, after_loss] = in_turn(true);
    assert!((0.25..0.42).contains(&after_good) && (0.25..0.42).contains(&after_loss), "{after_good} {after_loss}");
}
