//! Parallel iterative matching of a crossbar's inputs and outputs (T. Anderson, S. Owicki, J. Saxe, C. Thacker, ACM TOCS
//! 11(4), 1993); with rotating choices it is near iSLIP (N. McKeown, IEEE/ACM ToN 7(2), 1999).

use sojourn_core::{Stream, rekey_fields};

use super::settings::{Choice, Matching};

/// The most inputs and outputs: sets of them are the bits of a word.
pub const MOST_PORTS: usize = 64;

/// What finds the matches.
#[derive(Clone, Debug)]
pub struct Matcher {
    settings: Matching,
    stream: Stream,
    /// By output, by input: who is next where choices rotate.
    grant_next: Vec<u32>,
    accept_next: Vec<u32>,
    /// By input: the outputs that have granted it.
    granted: Vec<u64>,
    /// Pairs of input and output.
    matches: Vec<(u32, u32)>,
}

impl Matcher {
    /// A matcher for this many ports.
    pub fn new(settings: Matching, ports: usize, stream: Stream) -> Self {
        assert!(ports <= MOST_PORTS, "a crossbar has at most {MOST_PORTS} ports");
        Matcher {
            settings,
            stream,
            grant_next: vec![0; ports],
            accept_next: vec![0; ports],
            granted: vec![0; ports],
            matches: Vec::with_capacity(ports),
        }
    }

    /// Matches inputs and `outputs`, each at most once: `requests` holds, per output, the inputs that have a cell for
    /// it. Only requested outputs are in `outputs`.
    pub fn matches(&mut self, requests: &[u64], outputs: u64) -> &[(u32, u32)] {
        self.matches.clear();
        if outputs.is_power_of_two() {
            // nothing to agree upon: the one output takes one of those that ask it
            let output = outputs.trailing_zeros();
            let next = self.grant_next[output as usize];
            let input = choose(requests[output as usize], self.settings.grants, next, &mut self.stream);
            self.matched(input, output);
            return &self.matches;
        }
        let (mut inputs, mut outputs) = (u64::MAX, outputs);
        for _ in 0..self.settings.iterations {
            let granted = self.grant(requests, inputs, outputs);
            if granted == 0 {
                break;
            }
            for input in bits(granted) {
                let output = self.accept(input);
                self.matched(input, output);
                inputs &= !(1 << input);
                outputs &= !(1 << output);
            }
        }
        &self.matches
    }

    /// Each output grants one of the inputs that ask it; the inputs that were granted something.
    fn grant(&mut self, requests: &[u64], inputs: u64, outputs: u64) -> u64 {
        let mut granted = 0;
        for output in bits(outputs) {
            let asking = requests[output as usize] & inputs;
            if asking != 0 {
                let input = choose(asking, self.settings.grants, self.grant_next[output as usize], &mut self.stream);
                self.granted[input as usize] |= 1 << output;
                granted |= 1 << input;
            }
        }
        granted
    }

    /// An input accepts one of its grants.
    fn accept(&mut self, input: u32) -> u32 {
        let grants = std::mem::take(&mut self.granted[input as usize]);
        choose(grants, self.settings.accepts, self.accept_next[input as usize], &mut self.stream)
    }

    /// Keeps a match. Where choices rotate, the two come last for each other next time.
    #[inline]
    fn matched(&mut self, input: u32, output: u32) {
        self.accept_next[input as usize] = output + 1;
        self.grant_next[output as usize] = input + 1;
        self.matches.push((input, output));
    }
}

/// One of a set that is not empty.
#[inline]
fn choose(set: u64, choice: Choice, next: u32, stream: &mut Stream) -> u32 {
    if set.is_power_of_two() {
        return set.trailing_zeros();
    }
    match choice {
        Choice::Random => {
            let drawn = stream.below(set.count_ones());
            bits(set).nth(drawn as usize).expect("fewer than there are")
        }
        Choice::Rotating => {
            let later = set & u64::MAX.checked_shl(next).unwrap_or(0);
            if later == 0 { set.trailing_zeros() } else { later.trailing_zeros() }
        }
    }
}

/// The members of a set, in order.
#[inline]
pub fn bits(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let member = set.trailing_zeros();
        let some = set != 0;
        set &= set.wrapping_sub(1);
        some.then_some(member)
    })
}

rekey_fields!(Matcher { stream });

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Streams;

    fn matcher(choice: Choice, iterations: u32) -> Matcher {
        let settings = Matching { iterations, grants: choice, accepts: choice, free_running: false };
        Matcher::new(settings, 4, Streams::new(1, 0).stream("matching"))
    }

    #[test]
    fn a_matching_uses_each_port_once_and_only_what_was_asked() {
        for choice in [Choice::Random, Choice::Rotating] {
            let mut matcher = matcher(choice, 4);
            let mut random = Streams::new(2, 0).stream("requests");
            for _ in 0..1000 {
                let requests: Vec<u64> = (0..4).map(|_| u64::from(random.below(16))).collect();
                let (mut inputs, mut outputs) = (0_u64, 0_u64);
                for (input, output) in matcher.matches(&requests, 0b1111) {
                    assert!(requests[*output as usize] >> input & 1 == 1, "asked");
                    assert!(inputs >> input & 1 == 0 && outputs >> output & 1 == 0, "once");
                    inputs |= 1 << input;
                    outputs |= 1 << output;
                }
                // after as many rounds as ports no input is left that could be served
                for output in bits(0b1111 & !outputs) {
                    assert_eq!(requests[output as usize] & !inputs, 0);
                }
            }
        }
    }

    #[test]
    fn one_round_of_random_choices_serves_a_full_switch_of_four_to_68_percent() {
        // 1 - (1 - 1/4)^4 of the inputs are granted something: Anderson et al., section 3.3
        let mut matcher = matcher(Choice::Random, 1);
        let slots = 100_000;
        let served: usize = (0..slots).map(|_| matcher.matches(&[0b1111; 4], 0b1111).len()).sum();
        let share = served as f64 / f64::from(4 * slots);
        assert!((share - (1.0 - 0.75_f64.powi(4))).abs() < 3.0 * 0.4 / (f64::from(4 * slots)).sqrt(), "{share}");
    }

    #[test]
    fn rotating_choices_serve_a_full_switch_completely_and_evenly() {
        let mut matcher = matcher(Choice::Rotating, 1);
        for _ in 0..10 {
            matcher.matches(&[0b1111; 4], 0b1111);
        }
        let mut served = [[0; 4]; 4];
        for _ in 0..400 {
            let matches = matcher.matches(&[0b1111; 4], 0b1111);
            assert_eq!(matches.len(), 4);
            matches.iter().for_each(|(input, output)| served[*input as usize][*output as usize] += 1);
        }
        assert_eq!(served, [[100; 4]; 4]);
    }
}
