//! Named random streams with identical bits on every platform and for any number of threads.
//!
//! A stream is named after its user (`"station/sensor-7/backoff"`), never by position. Its initial state is the
//! output of the counter-based generator Philox4x32-10 (Salmon et al., SC11) keyed by seed and name, with the
//! replication as counter; xoshiro256++ (Blackman and Vigna, 2019) generates the draws. Changing one part of a
//! scenario does not change the draws of other names (common random numbers).
//!
//! A copy of a running simulation that must draw different numbers is [rekeyed](Rekey): the path of copies that led
//! to it becomes part of the key of its streams.

/// The streams of one replication.
#[derive(Clone, Copy, Debug)]
pub struct Streams {
    seed: u64,
    replication: u32,
    /// 0 for the replication itself.
    path: u64,
}

/// Which copy of a simulation this is, different for all copies of one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyKey(u64);

impl CopyKey {
    /// The `copy`-th, from 1, of those made at `level` when the simulation had handled `events` events.
    pub fn new(level: u32, copy: u32, events: u64) -> Self {
        let [low, high, ..] = philox4x32_10([copy, level, events as u32, (events >> 32) as u32], [0x636f_7079, 0]);
        CopyKey(u64::from(low) | u64::from(high) << 32)
    }
}

/// What holds random streams: the streams of a copy are to draw numbers of their own from here on.
pub trait Rekey {
    /// Makes `copy` part of the keys of all streams.
    fn rekey(&mut self, copy: CopyKey);
}

/// Implements [`Rekey`] for a type by those of its fields that hold streams.
#[macro_export]
macro_rules! rekey_fields {
    ($type:ty { $($field:tt),+ }) => {
        impl $crate::Rekey for $type {
            fn rekey(&mut self, copy: $crate::CopyKey) {
                $(self.$field.rekey(copy);)+
            }
        }
    };
}

impl<T: Rekey> Rekey for Option<T> {
    fn rekey(&mut self, copy: CopyKey) {
        self.iter_mut().for_each(|inner| inner.rekey(copy));
    }
}

impl<T: Rekey> Rekey for Vec<T> {
    fn rekey(&mut self, copy: CopyKey) {
        self.iter_mut().for_each(|inner| inner.rekey(copy));
    }
}

impl<T: Rekey> Rekey for Box<T> {
    fn rekey(&mut self, copy: CopyKey) {
        (**self).rekey(copy);
    }
}

impl Streams {
    /// The streams of replication `replication` (from 0) under `seed`.
    pub const fn new(seed: u64, replication: u32) -> Self {
        Streams { seed, replication, path: 0 }
    }

    /// The stream with this name, at its first draw.
    pub fn stream(&self, name: &str) -> Stream {
        let name = hash_name(name);
        let key = self.seed ^ name ^ self.path;
        let key = [key as u32, (key >> 32) as u32];
        let counter = |block: u32| [block, self.replication, name as u32, (name >> 32) as u32];
        let (low, high) = (philox4x32_10(counter(0), key), philox4x32_10(counter(1), key));
        let word = |w: [u32; 4], i: usize| u64::from(w[i]) | u64::from(w[i + 1]) << 32;
        Stream { state: [word(low, 0), word(low, 2), word(high, 0), word(high, 2) | 1] }
    }
}

impl Rekey for Streams {
    fn rekey(&mut self, copy: CopyKey) {
        let CopyKey(key) = copy;
        let [low, high, ..] =
            philox4x32_10([self.path as u32, (self.path >> 32) as u32, 0, 0], [key as u32, (key >> 32) as u32]);
        self.path = u64::from(low) | u64::from(high) << 32;
    }
}

/// A pseudorandom stream (xoshiro256++).
#[derive(Clone, Debug)]
pub struct Stream {
    state: [u64; 4],
}

impl Stream {
    /// Draws 64 uniform bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Draws an integer uniform on `0..bound`. Panics if `bound` is 0.
    ///
    /// Multiply-shift with rejection (Lemire, 2019): unbiased.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "a uniform draw needs a bound above 0");
        let product = u64::from(self.bits() as u32) * u64::from(bound);
        if product as u32 >= bound { (product >> 32) as u32 } else { self.below_anew(bound, product) }
    }

    /// Repeats rejected draws; for small bounds the rejection probability is below 10^-6.
    #[cold]
    #[inline(never)]
    fn below_anew(&mut self, bound: u32, mut product: u64) -> u32 {
        while (product as u32) < bound.wrapping_neg() % bound {
            product = u64::from(self.bits() as u32) * u64::from(bound);
        }
        (product >> 32) as u32
    }

    /// Draws a number uniform on the open interval (0, 1), in steps of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        // the greatest of the 2^53 values plus a half rounds to 2^53, hence the bound
        (((self.bits() >> 11) as f64 + 0.5) * (1.0 / 9_007_199_254_740_992.0)).min(1.0 - f64::EPSILON / 2.0)
    }
}

impl Rekey for Stream {
    /// The state of a stream has its seed, replication, name and draws in it, and the copies before.
    fn rekey(&mut self, copy: CopyKey) {
        let CopyKey(key) = copy;
        let key = [key as u32, (key >> 32) as u32];
        let [a, b, c, d] = self.state;
        let mixed = |first: u64, second: u64| {
            let counter = [first as u32, (first >> 32) as u32, second as u32, (second >> 32) as u32];
            let [low, high, next, last] = philox4x32_10(counter, key);
            [u64::from(low) | u64::from(high) << 32, u64::from(next) | u64::from(last) << 32]
        };
        let ([a, b], [c, d]) = (mixed(a, b), mixed(c, d));
        self.state = [a, b, c, d | 1];
    }
}

/// FNV-1a over the name's bytes, finished with the mixer of SplitMix64. Results depend on it, so it never changes.
fn hash_name(name: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in name.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// Philox4x32 with ten rounds.
fn philox4x32_10(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let first = u64::from(counter[0]) * 0xD251_1F53;
        let second = u64::from(counter[2]) * 0xCD9E_8D57;
        counter = [
            (second >> 32) as u32 ^ counter[1] ^ key[0],
            second as u32,
            (first >> 32) as u32 ^ counter[3] ^ key[1],
            first as u32,
        ];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn philox_matches_the_published_test_vectors() {
        assert_eq!(philox4x32_10([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            philox4x32_10([0xffff_ffff; 4], [0xffff_ffff; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
    }

    #[test]
    fn a_stream_depends_only_on_seed_replication_and_name() {
        let draw = |seed, replication, name| Streams::new(seed, replication).stream(name).bits();
        assert_eq!(draw(1, 0, "a"), draw(1, 0, "a"));
        assert_ne!(draw(1, 0, "a"), draw(1, 0, "b"));
        assert_ne!(draw(1, 0, "a"), draw(1, 1, "a"));
        assert_ne!(draw(1, 0, "a"), draw(2, 0, "a"));
    }

    #[test]
    fn a_copy_draws_numbers_of_its_own_and_the_same_ones_again() {
        let original = Streams::new(1, 0).stream("a");
        let copy = |level, number, events| {
            let mut copy = original.clone();
            copy.rekey(CopyKey::new(level, number, events));
            copy.bits()
        };
        let drawn = [copy(1, 1, 0), copy(1, 2, 0), copy(2, 1, 0), copy(1, 1, 1), original.clone().bits()];
        let distinct: std::collections::BTreeSet<u64> = drawn.into_iter().collect();
        assert_eq!((distinct.len(), copy(1, 2, 0)), (5, drawn[1]));
    }

    #[test]
    fn the_streams_that_a_copy_makes_later_are_its_own() {
        let original = Streams::new(1, 0);
        let mut copy = original;
        copy.rekey(CopyKey::new(1, 1, 0));
        assert_ne!(copy.stream("a").bits(), original.stream("a").bits());
        let mut of_copy = copy;
        of_copy.rekey(CopyKey::new(1, 1, 0));
        assert_ne!(of_copy.stream("a").bits(), copy.stream("a").bits());
    }

    #[test]
    fn draws_below_a_bound_are_uniform() {
        let mut stream = Streams::new(1, 0).stream("test");
        let mut counts = [0u32; 16];
        for _ in 0..160_000 {
            counts[stream.below(16) as usize] += 1;
        }
        assert!(counts.iter().all(|&n| (9_500..10_500).contains(&n)), "{counts:?}");
    }
    #[test]
    fn a_unit_draw_lies_strictly_between_0_and_1_for_any_bits() {
        let unit_of = |bits: u64| Stream { state: [0, 0, 0, bits.rotate_right(23)] }.unit();
        assert_eq!(unit_of(0), 2f64.powi(-54));
        assert_eq!(unit_of(0x4000_0000_0000_0000), 0.25 + 2f64.powi(-54));
        assert_eq!(unit_of(0xC000_0000_0000_0000), 0.75);
        assert_eq!(unit_of(u64::MAX), 1.0 - 2f64.powi(-53));
    }
}
