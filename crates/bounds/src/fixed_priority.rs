//! Messages of fixed priorities on a bus that does not interrupt them: the worst-case response times of CAN (Davis, Burns, Bril and
//! Lukkien, Real-Time Systems 35, 2007, sections 3 and 4), by all instances of a busy period.
//!
//! Times are whole picoseconds, so that an instant at which a message just comes is that instant.

use sojourn_core::Duration;

/// Instances of a busy period that are looked at before it is given up.
const MOST_INSTANCES: u64 = 100_000;
/// Steps of a fixed point before it is given up.
const MOST_STEPS: u32 = 1_000_000;

/// Messages of one priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The longest time of one on the bus, the gap behind it included.
    pub cost: Duration,
    /// The shortest time between two.
    pub period: Duration,
    /// How late one may be queued.
    pub jitter: Duration,
}

/// Faults that destroy what is on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Faults {
    /// The shortest time between two.
    pub interval: Duration,
    /// Time on the bus of each error, without that of the message that is sent again.
    pub overhead: Duration,
}

/// What holds for all messages of a bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bus {
    /// A bit: what is queued within one after another has begun still takes part in arbitration.
    pub bit: Duration,
    /// Faults, if there are some.
    pub faults: Option<Faults>,
}

/// A worst case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The longest time from the event that causes a message to its end on the bus.
    pub worst: Duration,
    /// That of each instance of the busy period.
    pub instances: Vec<Duration>,
    /// The longest busy period.
    pub busy_period: Duration,
}

impl Bus {
    /// The worst case of a message that is blocked by one lower message of `blocking`, and waits for all of `higher`; `None` where
    /// the bus is asked for all of its time, or nearly so.
    pub fn response(&self, own: Stream, higher: &[Stream], blocking: Duration) -> Option<Response> {
        let all = || higher.iter().chain([&own]);
        if utilisation(all()) >= 1.0 {
            return None;
        }
        let largest = all().map(|stream| stream.cost.picoseconds()).max().unwrap_or(0);
        let (blocking, cost) = (blocking.picoseconds(), own.cost.picoseconds());
        let busy = self.fixed_point(cost, |time| {
            let sum = all().map(|stream| within(stream, time, 0)).try_fold(blocking, u64::checked_add)?;
            sum.checked_add(self.errors(time, largest)?)
        })?;
        let count = busy.checked_add(own.jitter.picoseconds())?.div_ceil(own.period.picoseconds()).max(1);
        if count > MOST_INSTANCES {
            return None;
        }
        let bit = self.bit.picoseconds();
        let mut instances = Vec::with_capacity(count as usize);
        let mut wait = 0;
        for instance in 0..count {
            let before = blocking.checked_add(instance.checked_mul(cost)?)?;
            wait = self.fixed_point(wait.max(before), |time| {
                let sum = higher.iter().map(|stream| within(stream, time, bit)).try_fold(before, u64::checked_add)?;
                sum.checked_add(self.errors(time.checked_add(cost)?, largest)?)
            })?;
            let end = own.jitter.picoseconds().checked_add(wait)?.checked_add(cost)?;
            let released = instance.checked_mul(own.period.picoseconds())?;
            instances.push(Duration::from_picoseconds(end.saturating_sub(released)));
        }
        let worst = instances.iter().copied().max()?;
        Some(Response { worst, instances, busy_period: Duration::from_picoseconds(busy) })
    }

    /// The longest wait of a message in a FIFO that holds at most one message of each of its streams (Davis, Kollmann, Pollex
    /// and Slomka, ECRTS 2011, section 4): all of them have the lowest priority of the FIFO, and each may stand before it.
    pub fn in_fifo(&self, own: Stream, others: &[Stream], higher: &[Stream], blocking: Duration) -> Option<Duration> {
        if utilisation(higher.iter().chain(others).chain([&own])) >= 1.0 {
            return None;
        }
        let of_fifo = || others.iter().chain([&own]).map(|stream| stream.cost.picoseconds());
        let largest = of_fifo().chain(higher.iter().map(|stream| stream.cost.picoseconds())).max().unwrap_or(0);
        // one that was released before may push the busy period on as one of lower priority does
        let begin = blocking.picoseconds().max(of_fifo().max().unwrap_or(0));
        let before = others.iter().map(|stream| stream.cost.picoseconds()).try_fold(begin, u64::checked_add)?;
        let (bit, cost) = (self.bit.picoseconds(), own.cost.picoseconds());
        let wait = self.fixed_point(before, |time| {
            let sum = higher.iter().map(|stream| within(stream, time, bit)).try_fold(before, u64::checked_add)?;
            sum.checked_add(self.errors(time.checked_add(cost)?, largest)?)
        })?;
        let end = own.jitter.picoseconds().checked_add(wait)?.checked_add(cost)?;
        Some(Duration::from_picoseconds(end))
    }

    /// What faults cost within a time: each its overhead, and a message of the longest that is sent again.
    fn errors(&self, time: u64, largest: u64) -> Option<u64> {
        let Some(Faults { interval, overhead }) = self.faults else { return Some(0) };
        let hits = 1 + time / interval.picoseconds().max(1);
        hits.checked_mul(overhead.picoseconds().checked_add(largest)?)
    }

    /// The least fixed point from `start` on of a function that never falls.
    fn fixed_point(&self, start: u64, next: impl Fn(u64) -> Option<u64>) -> Option<u64> {
        let mut time = start;
        for _ in 0..MOST_STEPS {
            let found = next(time)?;
            if found <= time {
                return Some(time);
            }
            time = found;
        }
        None
    }
}

/// The time that messages of a stream take of those that are queued within a time.
#[inline]
fn within(stream: &Stream, time: u64, bit: u64) -> u64 {
    let span = time.saturating_add(stream.jitter.picoseconds()).saturating_add(bit);
    span.div_ceil(stream.period.picoseconds().max(1)).saturating_mul(stream.cost.picoseconds())
}

/// The share of its time that a bus is asked for.
pub fn utilisation<'s>(streams: impl Iterator<Item = &'s Stream>) -> f64 {
    streams.map(|stream| stream.cost.seconds() / stream.period.seconds()).sum()
}

/// The longest time that a processor works without a pause on jobs that come as streams, first come, first served: none waits longer.
pub fn busy_period(jobs: &[Stream]) -> Option<Duration> {
    let jobs: Vec<&Stream> = jobs.iter().filter(|job| job.cost > Duration::ZERO).collect();
    if jobs.is_empty() {
        return Some(Duration::ZERO);
    }
    if utilisation(jobs.iter().copied()) >= 1.0 {
        return None;
    }
    let bus = Bus { bit: Duration::ZERO, faults: None };
    let begin = jobs.iter().map(|job| job.cost.picoseconds()).try_fold(0, u64::checked_add)?;
    let sum = |time| jobs.iter().map(|job| within(job, time, 0)).try_fold(0, u64::checked_add);
    bus.fixed_point(begin, sum).map(Duration::from_picoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(n: u64) -> Duration {
        Duration::from_micros(n)
    }

    fn stream(cost: u64, period: u64, jitter: u64) -> Stream {
        Stream { cost: us(cost), period: us(period), jitter: us(jitter) }
    }

    /// The worst cases of messages in the order of their priorities.
    fn responses(bus: Bus, streams: &[Stream]) -> Vec<Option<Response>> {
        let one = |at: usize| {
            let blocking = streams[at + 1..].iter().map(|lower| lower.cost).max().unwrap_or_default();
            bus.response(streams[at], &streams[..at], blocking)
        };
        (0..streams.len()).map(one).collect()
    }

    const AT_500_KBIT: Bus = Bus { bit: Duration::from_micros(2), faults: None };

    #[test]
    fn five_messages_at_500_kbit_have_the_worst_cases_that_were_worked_out_by_hand() {
        let periods = [(5000, 0), (10_000, 100), (10_000, 0), (20_000, 200), (100_000, 0)];
        let streams = periods.map(|(period, jitter)| stream(270, period, jitter));
        let worst: Vec<Duration> =
            responses(AT_500_KBIT, &streams).into_iter().map(|found| found.unwrap().worst).collect();
        assert_eq!(worst, [540, 910, 1080, 1550, 1350].map(us));
        assert!((utilisation(streams.iter()) - 0.124).abs() < 5e-4);
    }

    #[test]
    fn a_later_instance_of_a_busy_period_may_be_the_worst() {
        // two messages of 1 ms every 2.5 and 3.5 ms, and one more of the lowest priority: 40 + 28.6 + 28.6 % of the bus
        let bus = Bus { bit: us(8), faults: None };
        let found = responses(bus, &[stream(1000, 2500, 0), stream(1000, 3500, 0), stream(1000, 3500, 0)]);
        let lowest = found[2].as_ref().unwrap();
        assert_eq!(lowest.busy_period, us(7000), "2 or 3 of each come within 7 ms, and the bus is busy for 7 ms");
        assert_eq!(lowest.instances.len(), 2);
        assert!(lowest.instances[1] > lowest.instances[0], "{lowest:?}");
    }

    #[test]
    fn what_asks_for_all_of_the_bus_has_no_worst_case() {
        let found = responses(AT_500_KBIT, &[stream(270, 540, 0), stream(270, 540, 0), stream(270, 10_000, 0)]);
        assert!(found[0].is_some() && found[1].is_none() && found[2].is_none());
    }

    #[test]
    fn a_fault_costs_its_overhead_and_the_longest_message_again() {
        let bus = Bus { faults: Some(Faults { interval: us(100_000), overhead: us(62) }), ..AT_500_KBIT };
        let found = bus.response(stream(270, 5000, 0), &[], us(150)).unwrap();
        assert_eq!(found.worst, us(150 + 270 + 62 + 270));
    }

    #[test]
    fn a_message_waits_in_a_fifo_for_one_of_each_that_shares_it() {
        let [own, other, higher] = [stream(270, 10_000, 0), stream(200, 10_000, 0), stream(135, 5000, 0)];
        // blocked by 300, behind one other, and one of higher priority
        assert_eq!(AT_500_KBIT.in_fifo(own, &[other], &[higher], us(300)), Some(us(300 + 200 + 135 + 270)));
    }

    #[test]
    fn a_processor_works_off_what_comes_at_once() {
        assert_eq!(busy_period(&[stream(10, 100, 0), stream(20, 100, 0)]), Some(us(30)));
        assert_eq!(
            busy_period(&[stream(60, 100, 50)]),
            Some(us(120)),
            "two come within 60 µs, and no third within 120"
        );
        assert_eq!(busy_period(&[stream(60, 100, 0), stream(40, 100, 0)]), None);
        assert_eq!(busy_period(&[]), Some(Duration::ZERO));
    }

    #[test]
    fn a_thousand_messages_are_bounded_at_once() {
        let streams: Vec<Stream> = (0..1000).map(|n| stream(135, 200_000 + 1000 * (n % 97), n % 13)).collect();
        let found = responses(AT_500_KBIT, &streams);
        assert!(found.iter().all(Option::is_some));
    }
}
