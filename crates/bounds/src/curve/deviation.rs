//! How far an arrival curve is from a service curve: in time the delay, in data the backlog.

use num_rational::Ratio;

use super::{Arrival, Rational, Service};

impl Arrival {
    /// The horizontal deviation: no data are delayed longer by a server that serves in the order of arrival (LBT, 1.4.1,
    /// theorem 1.4.2). `None` where more arrives in the long run than is served.
    pub fn delay_bound(&self, service: &Service) -> Option<Rational> {
        let at = |time: Rational| service.serves(self.at(time)) - time;
        self.farthest(service, at).map(|delay| delay.max(Ratio::ZERO))
    }

    /// The vertical deviation: never more data wait (LBT, 1.4.1, theorem 1.4.1). `None` where more arrives in the long
    /// run than is served.
    pub fn backlog_bound(&self, service: &Service) -> Option<Rational> {
        self.farthest(service, |time| self.at(time) - service.at(time))
    }

    /// The largest of `deviation`, which is concave but for corners of the curves.
    fn farthest(&self, service: &Service, deviation: impl Fn(Rational) -> Rational) -> Option<Rational> {
        if self.rate() > service.rate() {
            return None;
        }
        let levels = service.corners().filter_map(|corner| self.reaches(service.at(corner)));
        let times = std::iter::once(Ratio::ZERO).chain(self.corners()).chain(service.corners()).chain(levels);
        times.map(deviation).max()
    }

    /// The first time in which as much as `amount` may arrive; `None` where it is never exceeded, or at once.
    fn reaches(&self, amount: Rational) -> Option<Rational> {
        let needs = self.buckets().iter().filter(|bucket| bucket.burst < amount);
        let times = needs.map(|bucket| (bucket.rate > Ratio::ZERO).then(|| (amount - bucket.burst) / bucket.rate));
        times.collect::<Option<Vec<_>>>()?.into_iter().max()
    }
}
