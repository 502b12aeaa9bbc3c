//! Flows through FIFO servers: delay and backlog bounds, hop by hop.
//!
//! Work is counted in picoseconds of a server's time: after its service latency, a server completes one picosecond of
//! work per picosecond; the work of a packet depends on its flow. A flow is limited by its [`Envelope`], or, like a
//! closed loop, by a window of packets in the network. The delay variation of a hop increases the burstiness of the
//! arrivals at the next hop. Where flows form a cycle, the computation is iterated to a fixed point (time stopping:
//! LBT, 6.3.2; Cruz 1991). A class at an output with strict priority is served by the left-over service of the higher
//! classes.

use sojourn_core::Duration;

pub use crate::envelope::Envelope;

use crate::curve::{Arrival, RateLatency, Rational, Service, TokenBucket, strict_priority};

/// Parts of a rate: rates of single flows are rounded up to the next of them, so that sums stay exact and short.
const PARTS: i128 = 1 << 40;
/// Sweeps over all servers after which flows in a circle count as unstable.
const MOST_SWEEPS: usize = 1000;
/// No delay of a stable network is longer: an hour.
const LONGEST: Duration = Duration::from_secs(3600);

/// A FIFO server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// Service latency: the longest time for which the server may be idle although packets wait.
    pub latency: Duration,
    /// Packets that find room; those in service included. `None`: any number.
    pub room: Option<u64>,
    /// Whether the order of service is unknown: the server has no bound.
    pub unknown: bool,
    /// The servers of the same output with higher priority.
    pub above: Vec<usize>,
    /// The longest packet of lower priority, which may be in transmission when a packet of this server arrives.
    pub blocking: Duration,
}

/// What limits a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Its arrivals.
    Envelope(Envelope),
    /// The packets that it has in the network at a time, whatever their rate.
    Window(u64),
    /// Nothing that is known.
    None,
}

/// A visit of a flow's packets to a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visit {
    /// Which server.
    pub server: usize,
    /// The work that a packet is, at most.
    pub cost: Duration,
    /// The least time from a packet's arrival to its departure.
    pub least: Duration,
    /// The least time between the departures of a packet and of the one before, of whatever flow; zero where packets may
    /// leave together.
    pub spacing: Duration,
    /// From the departure to the next server, at most.
    pub onward: Duration,
    /// How much that varies.
    pub onward_jitter: Duration,
}

/// A flow: what limits it, and where its packets go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Its envelope or window.
    pub limit: Limit,
    /// How often the packets of a window come to any one place, where that is known: a closed loop takes its time.
    pub returns: Option<Envelope>,
    /// The servers that its packets visit, in order.
    pub path: Vec<Visit>,
}

/// What is known of the servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// By server the longest time from a packet's arrival to its departure; `None` where there is no bound.
    pub delays: Vec<Option<Duration>>,
    /// By server the most packets that wait or are served; `None` where there is no bound.
    pub backlogs: Vec<Option<u64>>,
    /// By flow and position in its path the most of its packets there; `None` where there is no bound.
    pub present: Vec<Vec<Option<u64>>>,
}

impl Analysis {
    /// The longest time of a flow from its first server to the end of its path.
    pub fn end_to_end(&self, flow: &Flow) -> Option<Duration> {
        flow.path.iter().map(|visit| Some(self.delays[visit.server]? + visit.onward)).sum()
    }
}

/// A flow's visit to a server, as the server sees it.
#[derive(Clone, Copy, Debug)]
struct Passing {
    flow: usize,
    /// The position of the visit in the flow's path.
    position: usize,
}

/// The bounds of all servers.
pub fn analyse(servers: &[Server], flows: &[Flow]) -> Analysis {
    let mut passing: Vec<Vec<Passing>> = vec![Vec::new(); servers.len()];
    for (flow, declared) in flows.iter().enumerate() {
        for (position, visit) in declared.path.iter().enumerate() {
            passing[visit.server].push(Passing { flow, position });
        }
    }
    let mut network = Network {
        flows,
        jitters: flows.iter().map(|flow| vec![Some(Duration::ZERO); flow.path.len() + 1]).collect(),
        delays: vec![Some(Duration::ZERO); servers.len()],
    };
    let order = order(flows, servers.len());
    for sweep in 0.. {
        let mut changed = false;
        for &server in &order {
            changed |= network.visit(server, servers, &passing, sweep >= MOST_SWEEPS);
        }
        if !changed {
            break;
        }
    }
    let backlogs = (0..servers.len()).map(|server| network.backlog(&servers[server], &passing[server]));
    let backlogs = backlogs.collect();
    let present = (0..flows.len())
        .map(|flow| (0..flows[flow].path.len()).map(|at| network.present(&Passing { flow, position: at })).collect());
    Analysis { backlogs, present: present.collect(), delays: network.delays }
}

/// The servers so that, where flows do not go round in a circle, each comes after those that feed it.
fn order(flows: &[Flow], servers: usize) -> Vec<usize> {
    let mut following: Vec<Vec<usize>> = vec![Vec::new(); servers];
    for flow in flows {
        for pair in flow.path.windows(2) {
            if !following[pair[0].server].contains(&pair[1].server) {
                following[pair[0].server].push(pair[1].server);
            }
        }
    }
    let (mut seen, mut order) = (vec![false; servers], Vec::new());
    for start in 0..servers {
        let mut stack = vec![(start, 0)];
        while let Some((server, next)) = stack.pop() {
            if next == 0 && std::mem::replace(&mut seen[server], true) {
                continue;
            }
            match following[server].get(next) {
                Some(&after) => stack.extend([(server, next + 1), (after, 0)]),
                None => order.push(server),
            }
        }
    }
    order.reverse();
    order
}

struct Network<'a> {
    flows: &'a [Flow],
    /// By flow and position in its path how much the delay up to there varies; `None` where there is no bound.
    jitters: Vec<Vec<Option<Duration>>>,
    delays: Vec<Option<Duration>>,
}

/// What may go before a server's packets.
struct Above {
    /// Since nothing of it, nor of the server's own, was there.
    since_idle: Arrival,
    /// From any instant on.
    at_any_time: TokenBucket,
}

/// Nothing comes.
const NOTHING: TokenBucket = TokenBucket { burst: Rational::ZERO, rate: Rational::ZERO };

/// What arrives at a server: in a FIFO the work of windows is there at most once, whatever their rate.
#[derive(Default)]
struct Arriving {
    /// The curve of all, where every flow or the link it comes by has one.
    curve: Option<Arrival>,
    /// The work of the windows.
    windows: Duration,
    /// The curve of the envelopes; `None` where one has lost its bound.
    envelopes: Option<Arrival>,
}

impl Network<'_> {
    /// Works out a server's delay and what it does to the flows; whether anything has changed.
    fn visit(&mut self, server: usize, servers: &[Server], passing: &[Vec<Passing>], unstable: bool) -> bool {
        let delay = self.delay(&servers[server], server, passing).filter(|delay| *delay <= LONGEST && !unstable);
        let mut changed = self.delays[server] != delay;
        self.delays[server] = delay;
        for &Passing { flow, position } in &passing[server] {
            let visit = &self.flows[flow].path[position];
            let varies = |before: Duration| Some(before + delay?.saturating_sub(visit.least) + visit.onward_jitter);
            let after = self.jitters[flow][position].and_then(varies);
            changed |= self.jitters[flow][position + 1] != after;
            self.jitters[flow][position + 1] = after;
        }
        changed
    }

    fn delay(&self, declared: &Server, server: usize, passing: &[Vec<Passing>]) -> Option<Duration> {
        if declared.unknown {
            return None;
        }
        let above = self.above(declared, passing)?;
        let arriving = self.arriving(&passing[server]);
        let whole = RateLatency::new(Rational::from_integer(1), work(declared.latency));
        let by_curve =
            arriving.curve.and_then(|curve| match declared.above.is_empty() && declared.blocking == Duration::ZERO {
                true => curve.delay_bound(&Service::from(whole)),
                false => curve.delay_bound(&strict_priority(&whole, &above.since_idle, work(declared.blocking))?),
            });
        // what a packet finds, and of the envelopes what comes while the packet before it is there; those above may be
        // in the middle of theirs
        let finds = |found: Rational, own: TokenBucket| {
            let rates = own.rate + above.at_any_time.rate;
            let bursts = own.burst + above.at_any_time.burst;
            let remains = Rational::from_integer(1) - rates;
            let work = work(declared.latency + declared.blocking) + found + bursts;
            (remains > Rational::ZERO).then(|| work / remains)
        };
        let by_windows = arriving.envelopes.and_then(|envelopes| finds(work(arriving.windows), last(&envelopes)));
        // no packet that found room waits for more than the room holds
        let longest = passing[server].iter().map(|passing| self.cost(passing)).max().unwrap_or_default();
        let by_room = declared.room.and_then(|room| finds(work(longest) * i128::from(room), NOTHING));
        [by_curve, by_windows, by_room].into_iter().flatten().min().map(rounded_up)
    }

    /// What the servers above one have to do; `None` where that has no bound.
    fn above(&self, declared: &Server, passing: &[Vec<Passing>]) -> Option<Above> {
        let mut above = Above { since_idle: Arrival::nothing(), at_any_time: NOTHING };
        for &server in &declared.above {
            let curve = self.arriving(&passing[server]).curve?;
            // what of it is still there came within its own delay
            let late = last(&curve.after_jitter(work(self.delays[server]?)));
            above.since_idle = above.since_idle.plus(&curve);
            above.at_any_time.burst += late.burst;
            above.at_any_time.rate += late.rate;
        }
        Some(above)
    }

    fn arriving(&self, passing: &[Passing]) -> Arriving {
        let mut links: Vec<(Option<usize>, Link)> = Vec::new();
        let mut arriving =
            Arriving { envelopes: Some(Arrival::nothing()), curve: Some(Arrival::nothing()), ..Arriving::default() };
        let mut windows: Vec<(usize, Duration)> = Vec::new();
        let mut envelopes = (0, 0);
        for at in passing {
            let Passing { flow, position } = *at;
            let from = position.checked_sub(1).map(|before| self.flows[flow].path[before]);
            let from_server = from.map(|visit| visit.server);
            let link = match links.iter_mut().position(|(server, _)| *server == from_server) {
                Some(place) => &mut links[place].1,
                None => {
                    links.push((from_server, Link::default()));
                    &mut links.last_mut().expect("it was just added").1
                }
            };
            let cost = self.cost(at);
            link.pass(cost, from);
            match self.flows[flow].limit {
                Limit::Window(packets) => {
                    match &self.flows[flow].returns {
                        Some(returns) => link.add(in_work(returns, Duration::ZERO, cost)),
                        None => link.unlimited = true,
                    }
                    let all = cost.times(packets);
                    match windows.iter_mut().find(|(other, _)| *other == flow) {
                        // a window's packets are at one of its visits at a time
                        Some((_, most)) => *most = all.max(*most),
                        None => windows.push((flow, all)),
                    }
                }
                Limit::Envelope(envelope) if self.jitters[flow][position].is_some() => {
                    let jitter = self.jitters[flow][position].unwrap_or_default();
                    let (burst, rate) = in_work(&envelope, jitter, cost);
                    link.add((burst, rate));
                    envelopes = (envelopes.0 + burst, envelopes.1 + rate);
                }
                Limit::Envelope(_) | Limit::None => {
                    link.unlimited = true;
                    arriving.envelopes = None;
                }
            }
        }
        arriving.windows = windows.into_iter().map(|(_, work)| work).sum();
        arriving.envelopes = arriving.envelopes.map(|_| bucket(envelopes.0, envelopes.1));
        for (_, link) in links {
            arriving.curve = arriving.curve.zip(link.curve()).map(|(sum, curve)| sum.plus(&curve));
        }
        arriving
    }

    /// The most packets at a server: those that came within the longest delay, and no more than the windows have.
    fn backlog(&self, declared: &Server, passing: &[Passing]) -> Option<u64> {
        let mut counted: Vec<usize> = Vec::new();
        let mut present = Some(0);
        for at in passing {
            let is_window = matches!(self.flows[at.flow].limit, Limit::Window(_));
            // a window's packets are at one of its visits at a time
            let packets = if is_window && counted.contains(&at.flow) { Some(0) } else { self.present(at) };
            counted.push(at.flow);
            present = present.zip(packets).map(|(sum, packets)| sum + packets);
        }
        [present, declared.room].into_iter().flatten().min()
    }

    /// The most packets of a flow at a server of its path.
    fn present(&self, at: &Passing) -> Option<u64> {
        let server = self.flows[at.flow].path[at.position].server;
        match self.flows[at.flow].limit {
            Limit::Window(packets) => Some(packets),
            Limit::Envelope(envelope) => {
                self.delays[server].zip(self.jitters[at.flow][at.position]).map(|(delay, jitter)| {
                    // one that leaves just as another comes is gone
                    let before = delay.saturating_sub(Duration::from_picoseconds(1));
                    envelope.packets(before + jitter)
                })
            }
            Limit::None => None,
        }
    }

    fn cost(&self, passing: &Passing) -> Duration {
        self.flows[passing.flow].path[passing.position].cost
    }
}

/// The flows that come to a server from one other server, or from outside.
#[derive(Default)]
struct Link {
    /// The work of all envelopes: at once, and parts of it in a picosecond.
    burst: i128,
    rate: i128,
    /// Whether the limit of a flow is a window instead of a curve.
    unlimited: bool,
    /// The longest packet.
    longest: Duration,
    /// Work here in a time there, at most, as a numerator and a denominator; `None` where packets may come together.
    slope: Option<(u64, u64)>,
    together: bool,
    jitter: Duration,
}

impl Link {
    /// A flow with this burst and rate comes by it.
    fn add(&mut self, (burst, rate): (i128, i128)) {
        (self.burst, self.rate) = (self.burst + burst, self.rate + rate);
    }

    fn pass(&mut self, cost: Duration, from: Option<Visit>) {
        self.longest = self.longest.max(cost);
        match from {
            Some(visit) if visit.spacing > Duration::ZERO => {
                let (work, time) = (cost.picoseconds(), visit.spacing.picoseconds());
                let steeper = |&(most, least): &(u64, u64)| {
                    u128::from(work) * u128::from(least) > u128::from(most) * u128::from(time)
                };
                self.slope = Some(self.slope.filter(|slope| !steeper(slope)).unwrap_or((work, time)));
                self.jitter = self.jitter.max(visit.onward_jitter);
            }
            _ => self.together = true,
        }
    }

    /// What it brings: no more than its flows, and no more than the link carries.
    fn curve(&self) -> Option<Arrival> {
        let envelopes = (!self.unlimited).then(|| bucket(self.burst, self.rate));
        let carried = self.slope.filter(|_| !self.together).map(|(work_here, time)| {
            let slope = Rational::new((i128::from(work_here) * PARTS + i128::from(time) - 1) / i128::from(time), PARTS);
            // times of packets are rounded to whole picoseconds, here and there
            let burst = work(self.longest) + Rational::from_integer(2) + (slope * work(self.jitter)).ceil();
            Arrival::token_bucket(burst, slope)
        });
        match (envelopes, carried) {
            (Some(envelopes), Some(carried)) => Some(envelopes.min(&carried)),
            (envelopes, carried) => envelopes.or(carried),
        }
    }
}

/// A flow's work at a server: at once, and parts of it in a picosecond, both rounded up.
fn in_work(envelope: &Envelope, jitter: Duration, cost: Duration) -> (i128, i128) {
    let [cost, interval] = [cost, envelope.interval].map(|time| i128::from(time.picoseconds()));
    let late = i128::from((envelope.jitter + jitter).picoseconds());
    let burst = cost * i128::from(envelope.burst) + (cost * late + interval - 1) / interval;
    (burst, (cost * PARTS + interval - 1) / interval)
}

fn bucket(burst: i128, rate: i128) -> Arrival {
    Arrival::token_bucket(Rational::from_integer(burst), Rational::new(rate, PARTS))
}

/// The bucket that counts in the long run.
fn last(curve: &Arrival) -> TokenBucket {
    *curve.buckets().last().expect("a curve has a bucket")
}

fn work(time: Duration) -> Rational {
    Rational::from_integer(time.picoseconds().into())
}

fn rounded_up(time: Rational) -> Duration {
    Duration::from_picoseconds(u64::try_from(time.ceil().to_integer()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn micros(n: u64) -> Duration {
        Duration::from_micros(n)
    }

    fn periodic(interval: u64, path: Vec<Visit>) -> Flow {
        let envelope = Envelope { burst: 1, interval: micros(interval), jitter: Duration::ZERO };
        Flow { limit: Limit::Envelope(envelope), returns: None, path }
    }

    fn visit(server: usize, cost: u64) -> Visit {
        Visit { server, cost: micros(cost), least: micros(cost), spacing: micros(cost), ..Visit::default() }
    }

    #[test]
    fn flows_that_meet_wait_for_one_packet_of_each() {
        let flows = [periodic(1000, vec![visit(0, 30)]), periodic(2000, vec![visit(0, 50)])];
        let analysis = analyse(&[Server::default()], &flows);
        assert_eq!(analysis.delays, [Some(micros(80))]);
        assert_eq!(analysis.backlogs, [Some(2)]);
    }

    #[test]
    fn flows_that_come_by_one_link_do_not_meet_again_behind_it() {
        let both = |number| vec![visit(0, number), visit(1, number)];
        let analysis =
            analyse(&[Server::default(), Server::default()], &[periodic(1000, both(30)), periodic(1000, both(50))]);
        // the second server is as fast as the first: it gets one packet after the other
        let rounding = Duration::from_picoseconds(2);
        assert_eq!(analysis.delays, [Some(micros(80)), Some(micros(50) + rounding)]);
    }

    #[test]
    fn a_window_is_at_one_server_at_a_time_and_never_more() {
        let window = Flow { limit: Limit::Window(4), returns: None, path: vec![visit(0, 10), visit(1, 20)] };
        let analysis = analyse(&[Server::default(), Server::default()], std::slice::from_ref(&window));
        assert_eq!(analysis.delays, [Some(micros(40)), Some(micros(80))]);
        assert_eq!(analysis.backlogs, [Some(4), Some(4)]);
        assert_eq!(analysis.end_to_end(&window), Some(micros(120)));
    }

    #[test]
    fn a_window_that_comes_to_a_server_twice_is_there_with_the_larger_of_its_costs() {
        // four packets at once cost 20 µs each at their first visit: the last of them leaves after 80 µs
        for costs in [[20, 10], [10, 20]] {
            let path = costs.map(|cost| visit(0, cost)).to_vec();
            let window = Flow { limit: Limit::Window(4), returns: None, path };
            assert_eq!(analyse(&[Server::default()], &[window]).delays, [Some(micros(80))], "{costs:?}");
        }
    }

    #[test]
    fn packets_that_waited_together_at_one_server_are_together_at_the_next() {
        // A packet of 300 µs comes to the first server just before those of a flow that come every 100 µs: of these, the ones of
        // 0, 100, 200 and 300 µs leave at 310, 320, 330 and 340 µs, and the second server, which takes 50 µs for each, is
        // still busy with the first when the fourth comes
        let visits = [visit(0, 10), visit(1, 50)];
        let flows = [periodic(100, visits.to_vec()), periodic(10_000, vec![visit(0, 300)])];
        let analysis = analyse(&[Server::default(), Server::default()], &flows);
        let seen = 4;
        assert!(analysis.backlogs[1].unwrap() >= seen);
        // The first delays by 310 µs at most, which varies by 300. To the second come at once 50 + 300/2 µs of work, and 0.5
        // in a microsecond, but no more than one packet every 10 µs: 50 + 5 t. These meet at 100/3 µs, when it is 550/3 µs
        // behind; within these and 300 µs come 1 + 4 packets
        assert_eq!((analysis.delays[0], analysis.backlogs[1]), (Some(micros(310)), Some(5)));
        let behind = analysis.delays[1].unwrap().picoseconds();
        assert!(behind.abs_diff(550_000_000 / 3) < 10, "{behind}");
    }

    #[test]
    fn a_window_below_a_class_waits_for_what_piled_up_while_its_own_packet_was_sent() {
        // Above come 50 µs every 100 µs. Below, a closed loop A of 300 µs and a loop B of 10 µs are always there again. While A
        // is sent from 0 to 300 µs, four from above come, at 0, 100, 200 and 300. At 300 A comes again, and B behind it: those
        // above are sent until 650, A until 950, those above that came since until 1250, and B until 1260: after 960 µs
        let above = periodic(100, vec![visit(0, 50)]);
        let below = |cost| Flow { limit: Limit::Window(1), returns: None, path: vec![visit(1, cost)] };
        let servers =
            [Server { blocking: micros(300), ..Server::default() }, Server { above: vec![0], ..Server::default() }];
        let analysis = analyse(&servers, &[above, below(300), below(10)]);
        assert!(analysis.delays[1].unwrap() >= micros(960));
        // above (300 + 50) µs at most, within which 50 + 175 µs come; below (310 + 225) µs at half of the rate
        assert_eq!(analysis.delays, [Some(micros(350)), Some(micros(1070))]);
    }

    #[test]
    fn flows_in_a_circle_have_a_bound_at_a_low_load_and_none_where_bursts_feed_each_other() {
        let ring = |interval| {
            let path = |first: usize| {
                (0..3).map(|hop| Visit { spacing: Duration::ZERO, ..visit((first + hop) % 4, 100) }).collect()
            };
            (0..4).map(|first| periodic(interval, path(first))).collect::<Vec<_>>()
        };
        let servers = vec![Server::default(); 4];
        assert!(analyse(&servers, &ring(2000)).delays.iter().all(Option::is_some));
        assert!(analyse(&servers, &ring(301)).delays.iter().all(Option::is_none));
    }

    #[test]
    fn what_arrives_faster_than_it_is_served_has_no_bound_unless_the_room_is_small() {
        let flow = periodic(10, vec![visit(0, 11)]);
        assert_eq!(analyse(&[Server::default()], std::slice::from_ref(&flow)).delays, [None]);
        let room = Server { room: Some(5), ..Server::default() };
        assert_eq!(analyse(&[room], &[flow]).delays, [Some(micros(55))]);
    }

    #[test]
    fn a_higher_class_waits_for_one_packet_of_those_below_and_they_for_all_of_it() {
        let [high, low] = [periodic(1000, vec![visit(0, 100)]), periodic(10_000, vec![visit(1, 300)])];
        let servers =
            [Server { blocking: micros(300), ..Server::default() }, Server { above: vec![0], ..Server::default() }];
        let analysis = analyse(&servers, &[high, low.clone()]);
        // above l + b; below (b1 + b2) / (1 - r1), as the theorem has it
        let [above, below] = [micros(400), Duration::from_picoseconds(400_000_000 * 10 / 9)];
        assert_eq!(analysis.delays[0], Some(above));
        let rounding = Duration::from_picoseconds(2);
        assert!(analysis.delays[1].unwrap().saturating_sub(below) <= rounding && analysis.delays[1].unwrap() >= below);
        // a closed loop that takes no time may always be there again, one that takes its time may not
        let mut always = Flow { limit: Limit::Window(1), returns: None, path: vec![visit(0, 100)] };
        assert_eq!(analyse(&servers, &[always.clone(), low.clone()]).delays, [Some(micros(400)), None]);
        always.returns = Some(Envelope { burst: 1, interval: micros(1000), jitter: Duration::ZERO });
        assert_eq!(analyse(&servers, &[always, low]).delays, analysis.delays);
    }

    #[test]
    fn the_order_of_flows_and_a_flow_that_never_meets_them_change_nothing() {
        let paths = [vec![visit(0, 30), visit(1, 40)], vec![visit(2, 10), visit(1, 20)], vec![visit(1, 70)]];
        let mut flows: Vec<Flow> =
            paths.into_iter().zip([900, 1100, 1300]).map(|(path, interval)| periodic(interval, path)).collect();
        let servers = vec![Server::default(); 4];
        let before = analyse(&servers, &flows);
        flows.rotate_left(1);
        let rotated = analyse(&servers, &flows);
        assert_eq!((&rotated.delays, &rotated.backlogs), (&before.delays, &before.backlogs));
        flows.push(periodic(500, vec![visit(3, 100)]));
        assert_eq!(analyse(&servers, &flows).delays[..3], before.delays[..3]);
    }
}
