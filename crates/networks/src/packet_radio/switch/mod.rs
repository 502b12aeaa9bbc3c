//! A ROSE switch: a packet layer over AX.25 links to other switches and to users.
//!
//! Links to other switches are set up when the switch is switched on, and again a while after they have failed; each
//! begins with a restart. A user's link ends here: the switch answers its frames in the far station's name, by its own
//! timers. The way on which a user reaches it has two digipeater fields, so that the user's acknowledgement timer is
//! five times as long and its frames are 14 octets longer.
//!
//! | file | concern |
//! |---|---|
//! | `settings` | keys, neighbours, routes |
//! | `links` | which link is what |

mod links;
mod settings;

use std::sync::Arc;

use sojourn_core::{Machine, Time};
use sojourn_protocols::ax25::machine::{Cause as LinkCause, LinkKey, Output as Told};
use sojourn_protocols::ax25::wire::Address;
use sojourn_protocols::rose::machine::{self, ClearReason, Input, InterfaceRole, Output, TrunkId, UserCall, UserId};
use sojourn_protocols::rose::wire::Cause;

pub use self::settings::{SwitchSettings, settings};

use self::links::{Links, PortLink, Role};
use super::information::{Information, Payload};
use super::station::Context;

/// A switch as it runs.
#[derive(Debug)]
pub struct Switch {
    settings: Arc<SwitchSettings>,
    machine: machine::Switch<Payload>,
    links: Links,
    /// Whether the switch's buffers are used up, so that no user may send.
    full: bool,
    /// Users that the packet layer holds back.
    held: Vec<UserId>,
}

impl Switch {
    /// A switch just switched on.
    ///
    /// Panics when the packet layer's settings are out of range, which [`mod@settings`] has seen to.
    pub fn new(settings: &Arc<SwitchSettings>) -> Self {
        let trunks = settings.trunks.len();
        let machine = machine::Switch::new(Arc::clone(&settings.rose), trunks as u16, 0);
        Switch {
            settings: Arc::clone(settings),
            machine: machine.expect("settings within their ranges"),
            links: Links::new(trunks),
            full: false,
            held: Vec::new(),
        }
    }

    /// It has been switched on: links to other switches are set up, each by the end that takes the highest channels.
    pub fn start(&mut self, context: &mut Context<'_>) {
        for (index, trunk) in self.settings.trunks.iter().enumerate() {
            if trunk.order == InterfaceRole::Dte {
                self.links.retry(TrunkId(index as u16), context.now);
            }
        }
        self.wake(context);
    }

    /// A timer is due.
    pub fn wake(&mut self, context: &mut Context<'_>) {
        while let Some(trunk) = self.links.due(context.now) {
            self.open(context, trunk);
        }
        if self.machine.next_wakeup().is_some_and(|at| at <= context.now) {
            self.machine.wake(context.now);
        }
        self.drain(context);
    }

    /// When it must be woken.
    pub fn next_wakeup(&self) -> Time {
        self.machine.next_wakeup().unwrap_or(Time::NEVER).min(self.links.next_due())
    }

    /// Asks for the link to another switch.
    fn open(&mut self, context: &mut Context<'_>, trunk: TrunkId) {
        let settings = self.settings.trunks[usize::from(trunk.0)];
        let port = settings.port as usize;
        let key = LinkKey::direct(context.ports[port].address, settings.neighbour);
        match context.connect(port, key) {
            Some(link) => self.links.add((port, link), Role::Trunk(trunk)),
            // an earlier link is still being ended
            None => self.links.retry(trunk, context.now + self.settings.link_retry),
        }
    }

    /// A link tells something.
    pub fn told(&mut self, context: &mut Context<'_>, port: usize, told: Told<Information>) {
        match told {
            Told::Connected { link, incoming, .. } => self.connected(context, (port, link), incoming),
            Told::Deliver { link, data, .. } => self.delivered(context, (port, link), data),
            Told::Acknowledged { link, frames } => self.acknowledged(context, (port, link), frames.into()),
            Told::Reset { link, .. } => self.reset(context, (port, link)),
            Told::Disconnected { link, cause, .. } => self.disconnected(context, (port, link), cause),
            _ => {}
        }
        self.drain(context);
        self.weigh(context);
    }

    /// A link is up.
    fn connected(&mut self, context: &mut Context<'_>, link: PortLink, incoming: bool) {
        match self.links.role(link) {
            Some(Role::Trunk(trunk)) => self.trunk_up(context, trunk),
            Some(Role::User(user)) => self.give(context, Input::UserConnected { user }),
            None if incoming => self.called(context, link),
            None | Some(Role::Leaving) => {}
        }
    }

    fn acknowledged(&mut self, context: &mut Context<'_>, link: PortLink, frames: u16) {
        let frames = self.links.not_words(link, frames);
        match self.links.role(link) {
            Some(Role::User(user)) if frames > 0 => self.give(context, Input::UserAcknowledged { user, frames }),
            Some(Role::Leaving) if context.backlog(link.0, link.1) == 0 => self.leave(context, link),
            _ => {}
        }
    }

    fn leave(&mut self, context: &mut Context<'_>, link: PortLink) {
        self.forget(link);
        context.disconnect(link.0, link.1);
    }

    /// A link is no more; what it was.
    fn forget(&mut self, link: PortLink) -> Option<Role> {
        let role = self.links.remove(link);
        self.held.retain(|held| role != Some(Role::User(*held)));
        role
    }

    fn trunk_up(&mut self, context: &Context<'_>, trunk: TrunkId) {
        let order = self.settings.trunks[usize::from(trunk.0)].order;
        self.give(context, Input::TrunkUp { trunk, role: order });
    }

    /// Another station has set a link up: a neighbour, or a user with a number in its way.
    fn called(&mut self, context: &mut Context<'_>, (port, link): PortLink) {
        let Some(key) = context.ports[port].links.key(link) else { return };
        let own = context.ports[port].address;
        let mut trunks = self.settings.trunks.iter();
        let neighbour = trunks.position(|trunk| key == LinkKey::direct(own, trunk.neighbour));
        if let Some(index) = neighbour {
            let trunk = TrunkId(index as u16);
            self.links.add((port, link), Role::Trunk(trunk));
            return self.trunk_up(context, trunk);
        }
        let Some(call) = UserCall::of_link(&[own], &key) else {
            // a user that wants the switch itself, which has no applications
            return context.disconnect(port, link);
        };
        let user = self.machine.reserve_user();
        self.links.add((port, link), Role::User(user));
        self.give(context, Input::UserCallRequest { user, call });
        if self.full {
            context.set_busy(port, link, true);
        }
    }

    fn delivered(&mut self, context: &Context<'_>, link: PortLink, information: Information) {
        match (self.links.role(link), information) {
            (Some(Role::Trunk(trunk)), Information::Rose(packet)) => {
                self.give(context, Input::Receive { trunk, packet });
            }
            (Some(Role::User(user)), Information::User(data)) => self.give(context, Input::UserData { user, data }),
            _ => {}
        }
    }

    /// A link began anew, and what was under way may be lost: a trunk restarts, a user's call ends.
    fn reset(&mut self, context: &mut Context<'_>, link: PortLink) {
        match self.links.role(link) {
            Some(Role::Trunk(trunk)) => self.trunk_up(context, trunk),
            Some(Role::User(user)) => {
                self.leave(context, link);
                self.give(context, Input::UserDisconnected { user, cause: Cause::DTE_ORIGINATED });
            }
            Some(Role::Leaving) => self.leave(context, link),
            None => {}
        }
    }

    /// A link is down, or did not come up.
    fn disconnected(&mut self, context: &Context<'_>, link: PortLink, cause: LinkCause) {
        match self.forget(link) {
            Some(Role::Trunk(trunk)) => {
                self.give(context, Input::TrunkDown { trunk });
                if self.settings.trunks[usize::from(trunk.0)].order == InterfaceRole::Dte {
                    self.links.retry(trunk, context.now + self.settings.link_retry);
                }
            }
            Some(Role::User(user)) => {
                let cause = match cause {
                    LinkCause::Refused => Cause::NUMBER_BUSY,
                    LinkCause::NoResponse => Cause::SHIP_ABSENT,
                    _ => Cause::DTE_ORIGINATED,
                };
                self.give(context, Input::UserDisconnected { user, cause });
            }
            None | Some(Role::Leaving) => {}
        }
    }

    fn give(&mut self, context: &Context<'_>, input: Input<Payload>) {
        self.machine.handle(context.now, input);
    }

    fn drain(&mut self, context: &mut Context<'_>) {
        while let Some(output) = self.machine.poll_output() {
            match output {
                Output::Transmit { trunk, packet } => {
                    if let Some((port, link)) = self.links.of_trunk(trunk) {
                        context.send(port, link, Information::Rose(packet));
                    }
                }
                Output::CallUser { user, call } => self.call_user(context, user, &call),
                Output::CallConnected { user } => self.complete(context, user),
                Output::Deliver { user, data, .. } => {
                    if let Some((port, link)) = self.links.of_user(user) {
                        context.send(port, link, Information::User(data));
                    }
                }
                Output::SetUserBusy { user, busy } => self.hold(context, user, busy),
                Output::DisconnectUser { user, reason } => self.end_user(context, user, reason),
                Output::TrunkFailed { trunk } => {
                    if let Some((port, link)) = self.links.of_trunk(trunk) {
                        context.disconnect(port, link);
                    }
                }
                Output::TrunkReady { .. } => {}
            }
        }
    }

    /// Connects to a user in the caller's name, on the port where the first station of the way is heard.
    fn call_user(&mut self, context: &mut Context<'_>, user: UserId, call: &UserCall) {
        let first = call.near.next().unwrap_or(call.called);
        let link = self.port_of(first).and_then(|port| {
            let digipeaters = call.exit_path(context.ports[port].address)?;
            let key = LinkKey { own: call.caller, peer: call.called, digipeaters };
            Some((port, context.connect(port, key)))
        });
        match link {
            Some((port, Some(link))) => self.links.add((port, link), Role::User(user)),
            // there is such a link already
            Some((_, None)) => self.give(context, Input::UserDisconnected { user, cause: Cause::NUMBER_BUSY }),
            None => self.give(context, Input::UserDisconnected { user, cause: Cause::SHIP_ABSENT }),
        }
    }

    fn port_of(&self, station: Address) -> Option<usize> {
        let heard = &self.settings.heard;
        let place = heard.binary_search_by_key(&station, |(address, _)| *address).ok()?;
        Some(heard[place].1 as usize)
    }

    /// The caller is told that its call is through.
    fn complete(&mut self, context: &mut Context<'_>, user: UserId) {
        let Some((port, link)) = self.links.of_user(user) else { return };
        let called = context.ports[port].links.key(link).map(|key| key.own);
        if let (true, Some(called)) = (self.settings.progress, called) {
            self.tell(context, (port, link), &format!("*** Connected to {called}\r"));
        }
    }

    /// A call is over: its user is told why, unless the other user wanted it, and disconnected.
    fn end_user(&mut self, context: &mut Context<'_>, user: UserId, ending: ClearReason) {
        let Some(link) = self.links.of_user(user) else { return };
        if !self.settings.progress || ending.cause == Cause::DTE_ORIGINATED {
            return self.leave(context, link);
        }
        self.forget(link);
        self.links.add(link, Role::Leaving);
        let place = ending.address.map_or(String::new(), |address| format!(" at {address}"));
        self.tell(context, link, &format!("*** Disconnected: {:?}{place}\r", ending.cause));
    }

    /// Tells a user in words how its call fares.
    fn tell(&mut self, context: &mut Context<'_>, link: PortLink, words: &str) {
        self.links.said(link);
        context.send(link.0, link.1, Information::User(Payload::text(words)));
    }

    /// The packet layer holds a user, or lets it go.
    fn hold(&mut self, context: &mut Context<'_>, user: UserId, busy: bool) {
        self.held.retain(|held| *held != user);
        if busy {
            self.held.push(user);
        }
        if let (false, Some((port, link))) = (self.full, self.links.of_user(user)) {
            context.set_busy(port, link, busy);
        }
    }

    /// While all buffers are used no user may send (RNR); what other switches send is bounded by the packet layer.
    fn weigh(&mut self, context: &mut Context<'_>) {
        let held: usize = self.links.all().map(|(port, link)| context.backlog(port, link)).sum();
        let used = held + self.machine.backlog();
        let full = match used {
            _ if used >= self.settings.buffers => true,
            _ if used <= self.settings.buffers / 2 => false,
            _ => return,
        };
        if std::mem::replace(&mut self.full, full) == full {
            return;
        }
        let users: Vec<PortLink> = self.links.users().collect();
        for (port, link) in users {
            let held = matches!(self.links.role((port, link)), Some(Role::User(user)) if self.held.contains(&user));
            context.set_busy(port, link, full || held);
        }
    }
}
