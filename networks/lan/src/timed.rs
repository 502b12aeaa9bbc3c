//! Applies a scenario's events to links and programs.

use sojourn_core::Time;
use sojourn_engine::Queue;

use super::effect::Effect;
use super::event::Event;
use super::fabric::Fabric;
use super::hosts::Program;
use super::world::Lan;
use sojourn_model::branches::Branching;
use sojourn_model::timed::Step;

impl<F: Fabric> Branching for Lan<'_, '_, F> {
    fn branch(&mut self, number: usize, events: &mut Queue<Event>) {
        let Some(observed) = &mut self.timed else { return };
        events.retain(|event| !matches!(event, Event::Step(step) if !observed.events.is_of(number, *step)));
        observed.events.branch(number);
        observed.read.set_edges(observed.events.edges());
        // the fabric waited for the steps of the others as well
        self.run_fabric(events);
    }
}

impl<F: Fabric> Lan<'_, '_, F> {
    /// An event of the scenario begins or ends.
    pub(super) fn step(&mut self, now: Time, step: Step, events: &mut Queue<Event>) {
        let Some(observed) = &mut self.timed else { return };
        let (next, effects) = observed.events.take(now, step);
        if let Some((at, step)) = next {
            events.at(at, Event::Step(step));
        }
        for effect in effects {
            match effect {
                Effect::Link(port, [change, _]) => self.fabric.change(now, port, change),
                Effect::Sending(flow, sends) => self.switch(now, flow, sends, events),
            }
        }
    }

    /// The programs of a flow go on, or stop when what they have begun is done.
    fn switch(&mut self, now: Time, flow: u32, sends: bool, events: &mut Queue<Event>) {
        for (number, client) in (0..).zip(&mut self.clients).filter(|(_, client)| client.flow == flow) {
            client.sends = sends;
            if sends && std::mem::take(&mut client.is_held) {
                events.at(now, Event::Request(number));
            }
        }
        for (number, requester) in (0..).zip(&mut self.requesters).filter(|(_, requester)| requester.flow == flow) {
            requester.sends = sends;
            if sends && std::mem::take(&mut requester.is_held) {
                events.at(now, Event::Ask(number));
            }
        }
        for source in self.sources.iter_mut().filter(|source| source.flow == flow) {
            source.sends = sends;
        }
        for talker in self.talkers.iter_mut().filter(|talker| talker.flow == flow) {
            talker.sends = sends;
        }
        for number in 0..self.transfers.len() as u32 {
            let transfer = &mut self.transfers[number as usize];
            let is_bulk = matches!(transfer.program, Program::Bulk { .. });
            if !is_bulk || transfer.flow != flow || std::mem::replace(&mut transfer.sends, sends) == sends || !sends {
                continue;
            }
            if std::mem::take(&mut transfer.is_held) {
                events.at(now, Event::Begin(number));
            } else if transfer.has_begun {
                transfer.write(now);
                self.settle(now, 2 * number, events);
            }
        }
    }
}
