//! Extremes of the clock differences per time window: those of packets that met no queue.

use super::differences::Differences;

/// Windows at most.
const MOST: usize = 200;
/// Packets in a window, at least.
const LEAST_PACKETS: usize = 5;

/// The extremes of a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Its middle by this host's clock, in nanoseconds.
    pub at: f64,
    /// Index of its first packet.
    pub first: usize,
    /// The minimum forward difference, from the clock offset by the least forward delay.
    pub forward: f64,
    /// The maximum return difference, from the clock offset by the least return delay.
    pub reverse: f64,
}

/// One of the two series of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Series {
    Forward,
    Return,
}

impl Window {
    pub fn of(self, series: Series) -> f64 {
        match series {
            Series::Forward => self.forward,
            Series::Return => self.reverse,
        }
    }

    /// The same less a skew.
    fn without(self, skew: f64) -> Window {
        let drift = skew * self.at;
        Window { forward: self.forward - drift, reverse: self.reverse - drift, ..self }
    }
}

/// Windows of equally many packets.
pub fn windows(differences: &[Differences]) -> Vec<Window> {
    let width = differences.len().div_ceil(MOST).max(LEAST_PACKETS);
    let window = |(index, packets): (usize, &[Differences])| Window {
        at: (packets[0].at[0] + packets[packets.len() - 1].at[1]) / 2.0,
        first: index * width,
        forward: packets.iter().map(|packet| packet.forward).fold(f64::INFINITY, f64::min),
        reverse: packets.iter().map(|packet| packet.reverse).fold(f64::NEG_INFINITY, f64::max),
    };
    // a short last window has fewer packets without a queue
    let whole = |(_, packets): &(usize, &[Differences])| packets.len() == width || differences.len() < width;
    differences.chunks(width).enumerate().filter(whole).map(window).collect()
}

/// Windows less a skew.
pub fn without(windows: &[Window], skew: f64) -> Vec<Window> {
    windows.iter().map(|window| window.without(skew)).collect()
}

/// The middle value; 0 of none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
