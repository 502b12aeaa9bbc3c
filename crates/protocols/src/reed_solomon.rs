//! Reed-Solomon codes over GF(256) with the field polynomial x^8 + x^4 + x^3 + x^2 + 1 (0x11d) and consecutive roots,
//! for FX.25 and IL2P. A code with n check octets corrects n / 2 octets, however many of their bits are wrong.
//!
//! Blocks may be shortened: octets omitted before the first one count as zeros.

use thiserror::Error;

/// The field polynomial.
const POLYNOMIAL: u16 = 0x11d;
/// Octets of a block at most: the nonzero elements of the field.
pub const LONGEST: usize = 255;
/// Check octets at most.
const MOST_CHECK: usize = 64;

/// Powers of the primitive element, twice over, and their logarithms.
const POWERS: [u8; 2 * LONGEST] = powers();
const LOGARITHMS: [u8; 256] = logarithms();

const fn powers() -> [u8; 2 * LONGEST] {
    let mut table = [0; 2 * LONGEST];
    let (mut power, mut at) = (1_u16, 0);
    while at < 2 * LONGEST {
        table[at] = power as u8;
        power <<= 1;
        if power > 0xff {
            power ^= POLYNOMIAL;
        }
        at += 1;
    }
    table
}

const fn logarithms() -> [u8; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < LONGEST {
        table[POWERS[at] as usize] = at as u8;
        at += 1;
    }
    table
}

fn product(one: u8, other: u8) -> u8 {
    if one == 0 || other == 0 {
        return 0;
    }
    POWERS[usize::from(LOGARITHMS[usize::from(one)]) + usize::from(LOGARITHMS[usize::from(other)])]
}

/// `divisor` is not 0.
fn quotient(dividend: u8, divisor: u8) -> u8 {
    if dividend == 0 {
        return 0;
    }
    let logarithm = usize::from(LOGARITHMS[usize::from(dividend)]) + LONGEST;
    POWERS[logarithm - usize::from(LOGARITHMS[usize::from(divisor)])]
}

/// The `exponent`-th power of the primitive element.
fn power(exponent: usize) -> u8 {
    POWERS[exponent % LONGEST]
}

/// More octets are wrong than the code corrects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("more octets are wrong than the check octets can correct")]
pub struct Uncorrectable;

/// A code: its first root and its generator polynomial.
#[derive(Clone, Debug)]
pub struct ReedSolomon {
    first_root: usize,
    check: usize,
    /// Coefficients below the leading one, the highest first.
    generator: [u8; MOST_CHECK],
}

impl ReedSolomon {
    /// The code with `check` octets whose roots are the powers of the primitive element from `first_root` on.
    ///
    /// Panics unless `check` is 1 to 64.
    pub fn new(first_root: usize, check: usize) -> Self {
        assert!((1..=MOST_CHECK).contains(&check), "1 to {MOST_CHECK} check octets");
        // the product of (x - root), built up from 1: coefficients from the constant term on
        let mut ascending = [0; MOST_CHECK + 1];
        ascending[0] = 1;
        for degree in 0..check {
            let root = power(first_root + degree);
            for at in (0..=degree + 1).rev() {
                let below = if at > 0 { ascending[at - 1] } else { 0 };
                ascending[at] = product(ascending[at], root) ^ below;
            }
        }
        let mut generator = [0; MOST_CHECK];
        (0..check).for_each(|at| generator[at] = ascending[check - 1 - at]);
        ReedSolomon { first_root, check, generator }
    }

    /// Octets that it corrects.
    pub fn corrects(&self) -> usize {
        self.check / 2
    }

    /// The check octets of `data`.
    pub fn check_of(&self, data: &[u8]) -> Vec<u8> {
        let mut remainder = vec![0; self.check];
        for octet in data {
            let feedback = octet ^ remainder[0];
            remainder.rotate_left(1);
            remainder[self.check - 1] = 0;
            for (rest, coefficient) in remainder.iter_mut().zip(&self.generator) {
                *rest ^= product(feedback, *coefficient);
            }
        }
        remainder
    }

    /// Corrects a block, data and check octets; the number of octets that were wrong. A block with more wrong octets than
    /// the code corrects is left as it is, or taken for another one: a frame's own check sequence decides.
    pub fn correct(&self, block: &mut [u8]) -> Result<usize, Uncorrectable> {
        if block.len() > LONGEST || block.len() <= self.check {
            return Err(Uncorrectable);
        }
        let syndromes: Vec<u8> = (0..self.check).map(|at| value(block, power(self.first_root + at))).collect();
        if syndromes.iter().all(|syndrome| *syndrome == 0) {
            return Ok(0);
        }
        let locator = locator(&syndromes);
        let wrong = locator.len() - 1;
        if wrong > self.corrects() {
            return Err(Uncorrectable);
        }
        let mut corrections = Vec::with_capacity(wrong);
        for degree in 0..block.len() {
            let inverse = power(LONGEST - degree % LONGEST);
            if ascending_value(&locator, inverse) == 0 {
                corrections.push((block.len() - 1 - degree, self.magnitude(&syndromes, &locator, degree, inverse)?));
            }
        }
        if corrections.len() != wrong {
            return Err(Uncorrectable);
        }
        corrections.iter().for_each(|(place, magnitude)| block[*place] ^= magnitude);
        Ok(wrong)
    }

    /// What is wrong with the octet at `degree` (Forney).
    fn magnitude(&self, syndromes: &[u8], locator: &[u8], degree: usize, inverse: u8) -> Result<u8, Uncorrectable> {
        // the evaluator is the product of syndromes and locator up to the degree of the check octets
        let term = |at: usize| {
            (0..=at.min(locator.len() - 1)).fold(0, |sum, place| sum ^ product(locator[place], syndromes[at - place]))
        };
        let evaluator: Vec<u8> = (0..locator.len() - 1).map(term).collect();
        // the formal derivative keeps the odd powers
        let odd = locator.iter().enumerate().filter(|(place, _)| place % 2 == 1);
        let squared = product(inverse, inverse);
        let (derivative, _) = odd.fold((0, 1), |(sum, even_power), (_, coefficient)| {
            (sum ^ product(*coefficient, even_power), product(even_power, squared))
        });
        if derivative == 0 {
            return Err(Uncorrectable);
        }
        let quotient = quotient(ascending_value(&evaluator, inverse), derivative);
        // X^(1 - first root)
        let shift = (degree * (LONGEST + 1 - self.first_root % LONGEST)) % LONGEST;
        Ok(product(quotient, power(shift)))
    }
}

/// The value of a polynomial, its highest coefficient first.
fn value(polynomial: &[u8], at: u8) -> u8 {
    polynomial.iter().fold(0, |sum, coefficient| product(sum, at) ^ coefficient)
}

/// The value of a polynomial, its constant term first.
fn ascending_value(polynomial: &[u8], at: u8) -> u8 {
    polynomial.iter().rev().fold(0, |sum, coefficient| product(sum, at) ^ coefficient)
}

/// The error locator polynomial of these syndromes, its constant term first (Berlekamp and Massey).
fn locator(syndromes: &[u8]) -> Vec<u8> {
    let (mut current, mut previous) = (vec![1], vec![1]);
    let (mut errors, mut shift, mut last) = (0, 1, 1);
    for at in 0..syndromes.len() {
        let places = 1..=errors.min(current.len() - 1);
        let discrepancy = places.fold(syndromes[at], |sum, place| sum ^ product(current[place], syndromes[at - place]));
        if discrepancy == 0 {
            shift += 1;
            continue;
        }
        let factor = quotient(discrepancy, last);
        let mut next: Vec<u8> = current.clone();
        next.resize(current.len().max(previous.len() + shift), 0);
        previous.iter().enumerate().for_each(|(place, old)| next[place + shift] ^= product(factor, *old));
        if 2 * errors <= at {
            (errors, last, shift) = (at + 1 - errors, discrepancy, 1);
            previous = std::mem::replace(&mut current, next);
        } else {
            shift += 1;
            current = next;
        }
    }
    while current.last() == Some(&0) {
        current.pop();
    }
    // a locator shorter than the number of errors has no such roots
    if current.len() <= errors {
        current.resize(errors + 1, 0);
    }
    current
}
