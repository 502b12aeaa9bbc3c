//! Bits to sound and back: two tones at 1200 bit/s (Bell 202), levels at 9600 bit/s (G3RUH).

use std::f64::consts::TAU;

use sojourn_protocols::ax25::hdlc::{Descrambler, Nrzi, Scrambler};

/// The tones of 1200 bit/s, in hertz.
const MARK: f64 = 1200.0;
const SPACE: f64 = 2200.0;
/// How loud, of what a sample holds.
const AMPLITUDE: f64 = 0.5;
/// How much of its error the receiver's clock takes back at each change of level.
const CLOCK_GAIN: f64 = 0.2;

/// The two modems of packet radio that are heard most.
pub enum Modem {
    /// 1200 bit/s, two tones.
    Afsk1200,
    /// 9600 bit/s, scrambled levels.
    G3ruh9600,
}

impl Modem {
    /// Samples a second that are written.
    pub fn sample_rate(&self) -> u32 {
        match self {
            Modem::Afsk1200 => 44_100,
            Modem::G3ruh9600 => 48_000,
        }
    }

    fn bit_rate(&self) -> f64 {
        match self {
            Modem::Afsk1200 => 1200.0,
            Modem::G3ruh9600 => 9600.0,
        }
    }

    /// The sound of these bits.
    pub fn modulate(&self, bits: &[bool]) -> Vec<f64> {
        let (mut nrzi, mut scrambler) = (Nrzi::default(), Scrambler::default());
        let levels: Vec<bool> = bits
            .iter()
            .map(|bit| match self {
                Modem::Afsk1200 => nrzi.encode(*bit),
                Modem::G3ruh9600 => scrambler.push(nrzi.encode(*bit)),
            })
            .collect();
        let per_bit = f64::from(self.sample_rate()) / self.bit_rate();
        let count = (levels.len() as f64 * per_bit) as usize;
        let level = |sample: usize| levels[((sample as f64 / per_bit) as usize).min(levels.len() - 1)];
        match self {
            Modem::Afsk1200 => self.tones((0..count).map(level)),
            Modem::G3ruh9600 => {
                let sharp: Vec<f64> =
                    (0..count).map(|sample| if level(sample) { AMPLITUDE } else { -AMPLITUDE }).collect();
                smooth(&sharp, 3)
            }
        }
    }

    /// Two tones whose phase never jumps.
    fn tones(&self, levels: impl Iterator<Item = bool>) -> Vec<f64> {
        let mut phase = 0.0;
        levels
            .map(|level| {
                phase = (phase + if level { MARK } else { SPACE } / f64::from(self.sample_rate())) % 1.0;
                AMPLITUDE * libm::sin(TAU * phase)
            })
            .collect()
    }

    /// The bits of this sound.
    pub fn demodulate(&self, sample_rate: u32, samples: &[f64]) -> Vec<bool> {
        let per_bit = f64::from(sample_rate) / self.bit_rate();
        let (mut nrzi, mut descrambler) = (Nrzi::default(), Descrambler::default());
        match self {
            Modem::Afsk1200 => {
                let heard = louder_tone(sample_rate, per_bit, samples);
                clocked(&heard, per_bit).into_iter().map(|level| nrzi.decode(level)).collect()
            }
            Modem::G3ruh9600 => {
                let heard: Vec<bool> = smooth(samples, 3).iter().map(|sample| *sample > 0.0).collect();
                clocked(&heard, per_bit).into_iter().map(|level| nrzi.decode(descrambler.push(level))).collect()
            }
        }
    }
}

/// The mean of `width` samples around each.
fn smooth(samples: &[f64], width: usize) -> Vec<f64> {
    let half = width / 2;
    (0..samples.len())
        .map(|at| {
            let window = &samples[at.saturating_sub(half)..(at + half + 1).min(samples.len())];
            window.iter().sum::<f64>() / window.len() as f64
        })
        .collect()
}

/// Around each sample, over the length of a bit: whether the mark is louder than the space.
fn louder_tone(sample_rate: u32, per_bit: f64, samples: &[f64]) -> Vec<bool> {
    let width = per_bit as usize;
    let loudness = |tone: f64| {
        let step = TAU * tone / f64::from(sample_rate);
        let parts = |part: fn(f64) -> f64| -> Vec<f64> {
            samples.iter().enumerate().map(|(at, sample)| sample * part(step * at as f64)).collect()
        };
        let (sine, cosine) = (smooth(&parts(libm::sin), width), smooth(&parts(libm::cos), width));
        sine.into_iter().zip(cosine).map(|(a, b)| a * a + b * b).collect::<Vec<f64>>()
    };
    loudness(MARK).into_iter().zip(loudness(SPACE)).map(|(mark, space)| mark > space).collect()
}

/// One level a bit, sampled midway between the transitions; the clock follows them.
fn clocked(levels: &[bool], per_bit: f64) -> Vec<bool> {
    let mut phase = 0.0;
    let mut taken = Vec::new();
    for pair in levels.windows(2) {
        if pair[0] != pair[1] {
            phase -= CLOCK_GAIN * (phase - 0.5);
        }
        phase += 1.0 / per_bit;
        if phase >= 1.0 {
            phase -= 1.0;
            taken.push(pair[1]);
        }
    }
    taken
}
