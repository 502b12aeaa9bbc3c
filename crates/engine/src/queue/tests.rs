use super::*;
use proptest::prelude::*;
use sojourn_core::Streams;

fn at(ps: u64) -> Time {
    Time::from_picoseconds(ps)
}

/// The order by definition: the least of (time, class, insertion) among all that is pending.
#[derive(Default)]
struct Reference {
    now: u64,
    inserted: u64,
    pending: Vec<(u64, u8, u64, u32)>,
}

impl Reference {
    fn at(&mut self, time: u64, event: u32) {
        self.pending.push((time, class(&event), self.inserted, event));
        self.inserted += 1;
    }

    fn pop_until(&mut self, until: u64) -> Option<(u64, u32)> {
        let least = self.pending.iter().enumerate().min_by_key(|(_, e)| (e.0, e.1, e.2)).map(|(i, _)| i)?;
        if self.pending[least].0 > until {
            return None;
        }
        let (time, _, _, event) = self.pending.remove(least);
        self.now = time;
        Some((time, event))
    }
}

fn class(event: &u32) -> u8 {
    (event % 3) as u8
}

/// One step of a random program.
#[derive(Clone, Debug)]
enum Step {
    /// Add an event so long from now.
    Add(u64),
    /// Take as many events.
    Take(usize),
    /// Take all events within so long.
    TakeUntil(u64),
    /// Remove each event whose number is divisible by this.
    Remove(u32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let delay = prop_oneof![
        3 => Just(0u64), 5 => 0u64..4, 5 => 0u64..1_000, 2 => 0u64..1 << 40, 1 => 0u64..1 << 58
    ];
    let step = prop_oneof![
        16 => delay.prop_map(Step::Add),
        6 => (1usize..6).prop_map(Step::Take),
        2 => (0u64..2_000).prop_map(Step::TakeUntil),
        1 => (2u32..9).prop_map(Step::Remove),
    ];
    prop::collection::vec(step, 1..600)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_trace_is_that_of_the_sorted_reference(program in steps()) {
        let (mut queue, mut reference) = (Queue::new(), Reference::default());
        let mut event = 0u32;
        let take = |queue: &mut Queue<u32>, reference: &mut Reference, until: u64| {
            let taken = queue.pop_until(at(until), class);
            let wanted = reference.pop_until(until);
            prop_assert_eq!(taken.map(|(time, event)| (time.picoseconds(), event)), wanted);
            Ok(taken.is_some())
        };
        for step in program {
            match step {
                Step::Add(delay) => {
                    event += 1;
                    queue.at(at(reference.now + delay), event);
                    reference.at(reference.now + delay, event);
                }
                Step::Take(n) => {
                    for _ in 0..n {
                        take(&mut queue, &mut reference, u64::MAX)?;
                    }
                }
                Step::TakeUntil(span) => {
                    let until = reference.now + span;
                    while take(&mut queue, &mut reference, until)? {}
                    queue.advance_to(at(until));
                    reference.now = until;
                }
                Step::Remove(divisor) => {
                    queue.retain(|event| event % divisor != 0);
                    reference.pending.retain(|entry| entry.3 % divisor != 0);
                }
            }
            prop_assert_eq!(queue.len(), reference.pending.len());
        }
        while take(&mut queue, &mut reference, u64::MAX)? {}
        prop_assert!(queue.is_empty());
    }
}

#[test]
fn events_due_never_are_kept_and_come_once_behind_all_others() {
    let mut queue = Queue::new();
    [(u64::MAX, 1), (5, 2), (u64::MAX, 3), (u64::MAX - 1, 4)]
        .iter()
        .for_each(|&(time, event)| queue.at(at(time), event));
    let mut taken: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|(_, event)| event).collect();
    taken[2..].sort_unstable();
    assert_eq!((taken, queue.len()), (vec![2, 4, 1, 3], 0));
}

#[test]
fn equal_times_leave_in_the_order_they_came_through_every_store() {
    let mut queue = Queue::new();
    // enough to go from the array to the radix heap and back
    for n in 0..1_000u32 {
        queue.at(at(5_000 + u64::from(n % 3)), n);
    }
    let mut left: Vec<u32> = Vec::new();
    while let Some((_, event)) = queue.pop() {
        left.push(event);
    }
    let wanted: Vec<u32> = (0..3).flat_map(|r| (0..1_000u32).filter(move |n| n % 3 == r)).collect();
    assert_eq!(left, wanted);
}

#[test]
#[should_panic(expected = "when the clock is at")]
fn an_event_in_the_past_is_refused() {
    let mut queue = Queue::new();
    queue.at(at(10), ());
    queue.pop();
    queue.at(at(9), ());
}

#[test]
#[should_panic(expected = "within 213 days")]
fn a_delay_beyond_the_clock_is_refused_rather_than_wrapped() {
    let mut queue = Queue::new();
    queue.at(at(10), ());
    queue.pop();
    queue.after(Duration::MAX, ());
}

#[test]
fn the_clock_can_move_on_while_nothing_is_due() {
    let mut queue = Queue::new();
    queue.at(at(10), ());
    queue.advance_to(at(10));
    assert_eq!((queue.now(), queue.len()), (at(10), 1));
    assert_eq!(queue.pop(), Some((at(10), ())));
}

#[test]
fn many_events_leave_in_the_order_of_the_reference_whatever_comes_among_the_soonest() {
    let mut stream = Streams::new(1, 0).stream("delays");
    let (mut queue, mut reference) = (Queue::new(), Reference::default());
    for event in 0..20_000u32 {
        // from within the soonest events to far beyond them, and at times many of one instant
        let delay = match stream.below(8) {
            0 => 0,
            1 => u64::from(stream.below(1_000)),
            2 => 1_000_000,
            scale => u64::from(stream.below(1 << 20)) << (4 * scale - 12),
        };
        queue.at(at(reference.now + delay), event);
        reference.at(reference.now + delay, event);
        assert_eq!(queue.next_time().picoseconds(), reference.pending.iter().map(|entry| entry.0).min().unwrap());
        let until = if stream.below(4) == 0 { reference.now } else { u64::MAX };
        if queue.len() > 500 {
            let taken = queue.pop_until(at(until), class).map(|(time, event)| (time.picoseconds(), event));
            assert_eq!(taken, reference.pop_until(until));
        }
    }
    while let Some(wanted) = reference.pop_until(u64::MAX) {
        assert_eq!(queue.pop_until(Time::NEVER, class).map(|(time, event)| (time.picoseconds(), event)), Some(wanted));
    }
    assert!(queue.is_empty());
}

#[test]
fn the_hold_model_leaves_in_the_order_of_the_reference_however_many_are_pending() {
    let mut stream = Streams::new(1, 0).stream("delays");
    for pending in [97u32, 130, 255, 256, 300, 2_000] {
        let (mut queue, mut reference) = (Queue::new(), Reference::default());
        for event in 0..pending + 4_000 {
            // buckets of every size up to all of them, with events of one instant, to which later ones are added
            let delay = u64::from(stream.below(1 << 8)) << (6 * stream.below(3));
            queue.at(at(reference.now + delay), event);
            reference.at(reference.now + delay, event);
            if event >= pending {
                let taken = queue.pop_until(Time::NEVER, class).map(|(time, event)| (time.picoseconds(), event));
                assert_eq!(taken, reference.pop_until(u64::MAX), "{pending} pending");
            }
        }
    }
}

#[test]
fn events_that_are_rescheduled_move_and_the_others_stay_in_their_order() {
    for others in [3u32, 300] {
        let mut queue = Queue::new();
        (0..others).for_each(|event| queue.at(at(1000 + u64::from(event / 3)), event));
        queue.reschedule(|time, event| if event % 3 == 1 { at(500 + u64::from(*event)) } else { time });
        assert_eq!(queue.len(), others as usize);
        let left: Vec<(u64, u32)> =
            std::iter::from_fn(|| queue.pop()).map(|(time, event)| (time.picoseconds(), event)).collect();
        let expected = |event: u32| if event % 3 == 1 { 500 + u64::from(event) } else { 1000 + u64::from(event / 3) };
        assert!(left.iter().all(|&(time, event)| time == expected(event)), "{left:?}");
        let stayed: Vec<u32> = left.iter().map(|entry| entry.1).filter(|event| event % 3 != 1).collect();
        assert!(stayed.is_sorted(), "{stayed:?}");
    }
}

#[test]
fn a_clone_over_another_queue_goes_on_alike() {
    let filled = |events: u32| {
        let mut queue = Queue::new();
        (0..events).for_each(|event| queue.at(at(u64::from(event * 7919 % 1000)), event));
        queue
    };
    for (source, target) in [(5, 7), (80, 60), (5, 400), (400, 5), (400, 300)] {
        let (mut original, mut copy) = (filled(source), filled(target));
        copy.pop();
        copy.clone_from(&original);
        loop {
            let next = original.pop();
            assert_eq!(copy.pop(), next);
            if next.is_none() {
                break;
            }
        }
    }
}
