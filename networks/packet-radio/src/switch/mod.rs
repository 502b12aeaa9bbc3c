//! A ROSE switch: a packet layer over AX.25 links to other switches and to users.
//!
//! Links to other switches are set up at the start and, after a failure, again after a delay; each begins with a
//! restart. A user's link terminates at the switch, which acknowledges frames under the far station's callsign, with
//! its own timers. The user's path to the switch has two digipeater fields, so the user's T1 is five times FRACK and
//! its frames are 14 octets longer.
//!
//! | file | concern |
//! |---|---|
//! | `settings` | keys, neighbours, routes |
//! | `links` | the role of each link |

mod links;
pub mod settings;

use std::sync::Arc;

use sojourn_core::{Machine, Time};
use sojourn_protocols::ax25::machine::{Cause as LinkCause, LinkKey, Output as LinkOutput};
use sojourn_protocols::ax25::wire::Address;
use sojourn_protocols::rose::machine::{self, ClearReason, Input, InterfaceRole, Output, TrunkId, UserCall, UserId};
use sojourn_protocols::rose::wire::Cause;

pub use self::settings::{SwitchSettings, settings};

use self::links::{Links, PortLink, Role};
use super::context::Context;
use super::information::{Information, Payload};

/// State of a switch.
#[derive(Clone, Debug)]
pub struct Switch {
    settings: Arc<SwitchSettings>,
    machine: machine::Switch<Payload>,
    links: Links,
    /// Whether the switch's buffers are full, so that flow control stops all users.
    full: bool,
    /// Users that the packet layer stops.
    stopped: Vec<UserId>,
}

impl Switch {
    /// A switch in its initial state.
    ///
    /// Panics when the packet layer's settings are out of range, which [`mod@settings`] excludes.
    pub fn new(settings: &Arc<SwitchSettings>) -> Self {
        let trunks = settings.trunks.len();
        let machine = machine::Switch::new(Arc::clone(&settings.rose), trunks as u16, 0);
        Switch {
            settings: Arc::clone(settings),
            machine: machine.expect("settings within their ranges"),
            links: Links::new(trunks),
            full: false,
            stopped: Vec::new(),
        }
    }

    /// Sets up the links to other switches, each by the end that uses the highest channels.
    pub fn start(&mut self, context: &mut Context<'_>) {
        for (index, trunk) in self.settings.trunks.iter().enumerate() {
            if trunk.order == InterfaceRole::Dte {
                self.links.retry(TrunkId(index as u16), context.now);
            }
        }
        self.wake(context);
    }

    /// A timer may be due.
    pub fn wake(&mut self, context: &mut Context<'_>) {
        while let Some(trunk) = self.links.due(context.now) {
            self.open(context, trunk);
        }
        if self.machine.next_wakeup().is_some_and(|at| at <= context.now) {
            self.machine.wake(context.now);
        }
        self.process_outputs(context);
    }

    /// Next wake-up.
    pub fn next_wakeup(&self) -> Time {
        self.machine.next_wakeup().unwrap_or(Time::NEVER).min(self.links.next_due())
    }

    /// Requests the link to another switch.
    fn open(&mut self, context: &mut Context<'_>, trunk: TrunkId) {
        let settings = self.settings.trunks[usize::from(trunk.0)];
        let port = settings.port as usize;
        let key = LinkKey::direct(context.ports[port].address, settings.neighbour);
        match context.connect(port, key) {
            Some(link) => self.links.add((port, link), Role::Trunk(trunk)),
            // an earlier link is still being disconnected
            None => self.links.retry(trunk, context.now + self.settings.link_retry),
        }
    }

    /// Handles an output of a link.
    pub fn on_link_output(&mut self, context: &mut Context<'_>, port: usize, output: LinkOutput<Information>) {
        match output {
            LinkOutput::Connected { link, incoming, .. } => self.connected(context, (port, link), incoming),
            LinkOutput::Deliver { link, data, .. } => self.delivered(context, (port, link), data),
            LinkOutput::Acknowledged { link, frames } => self.acknowledged(context, (port, link), frames.into()),
            LinkOutput::Reset { link, .. } => self.reset(context, (port, link)),
            LinkOutput::Disconnected { link, cause, .. } => self.disconnected(context, (port, link), cause),
            _ => {}
        }
        self.process_outputs(context);
        self.update_flow_control(context);
    }

    /// A link is up.
    fn connected(&mut self, context: &mut Context<'_>, link: PortLink, incoming: bool) {
        match self.links.role(link) {
            Some(Role::Trunk(trunk)) => self.trunk_up(context, trunk),
            Some(Role::User(user)) => self.input(context, Input::UserConnected { user }),
            None if incoming => self.incoming_link(context, link),
            None | Some(Role::Closing) => {}
        }
    }

    fn acknowledged(&mut self, context: &mut Context<'_>, link: PortLink, frames: u16) {
        let frames = self.links.without_texts(link, frames);
        match self.links.role(link) {
            Some(Role::User(user)) if frames > 0 => self.input(context, Input::UserAcknowledged { user, frames }),
            Some(Role::Closing) if context.backlog(link.0, link.1) == 0 => self.disconnect(context, link),
            _ => {}
        }
    }

    fn disconnect(&mut self, context: &mut Context<'_>, link: PortLink) {
        self.forget(link);
        context.disconnect(link.0, link.1);
    }

    /// Removes a link; returns its role.
    fn forget(&mut self, link: PortLink) -> Option<Role> {
        let role = self.links.remove(link);
        self.stopped.retain(|held| role != Some(Role::User(*held)));
        role
    }

    fn trunk_up(&mut self, context: &Context<'_>, trunk: TrunkId) {
        let order = self.settings.trunks[usize::from(trunk.0)].order;
        self.input(context, Input::TrunkUp { trunk, role: order });
    }

    /// Another station has set up a link: a neighbour, or a user with a network address in its path.
    fn incoming_link(&mut self, context: &mut Context<'_>, (port, link): PortLink) {
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
            // a user connects to the switch itself, which has no applications
            return context.disconnect(port, link);
        };
        let user = self.machine.reserve_user();
        self.links.add((port, link), Role::User(user));
        self.input(context, Input::UserCallRequest { user, call });
        if self.full {
            context.set_busy(port, link, true);
        }
    }

    fn delivered(&mut self, context: &Context<'_>, link: PortLink, information: Information) {
        match (self.links.role(link), information) {
            (Some(Role::Trunk(trunk)), Information::Rose(packet)) => {
                self.input(context, Input::Receive { trunk, packet });
            }
            (Some(Role::User(user)), Information::User(data)) => self.input(context, Input::UserData { user, data }),
            _ => {}
        }
    }

    /// A link was reset, and data in flight may be lost: a trunk restarts, a user's call is cleared.
    fn reset(&mut self, context: &mut Context<'_>, link: PortLink) {
        match self.links.role(link) {
            Some(Role::Trunk(trunk)) => self.trunk_up(context, trunk),
            Some(Role::User(user)) => {
                self.disconnect(context, link);
                self.input(context, Input::UserDisconnected { user, cause: Cause::DTE_ORIGINATED });
            }
            Some(Role::Closing) => self.disconnect(context, link),
            None => {}
        }
    }

    /// A link is down, or its setup failed.
    fn disconnected(&mut self, context: &Context<'_>, link: PortLink, cause: LinkCause) {
        match self.forget(link) {
            Some(Role::Trunk(trunk)) => {
                self.input(context, Input::TrunkDown { trunk });
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
                self.input(context, Input::UserDisconnected { user, cause });
            }
            None | Some(Role::Closing) => {}
        }
    }

    fn input(&mut self, context: &Context<'_>, input: Input<Payload>) {
        self.machine.handle(context.now, input);
    }

    fn process_outputs(&mut self, context: &mut Context<'_>) {
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
                Output::SetUserBusy { user, busy } => self.set_user_busy(context, user, busy),
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

    /// Connects to a user under the caller's callsign, on the port where the first station of the path is heard.
    fn call_user(&mut self, context: &mut Context<'_>, user: UserId, call: &UserCall) {
        let first = call.near.next().unwrap_or(call.called);
        let link = self.port_of(first).and_then(|port| {
            let digipeaters = call.exit_path(context.ports[port].address)?;
            let key = LinkKey { own: call.caller, peer: call.called, digipeaters };
            Some((port, context.connect(port, key)))
        });
        match link {
            Some((port, Some(link))) => self.links.add((port, link), Role::User(user)),
            // such a link already exists
            Some((_, None)) => self.input(context, Input::UserDisconnected { user, cause: Cause::NUMBER_BUSY }),
            None => self.input(context, Input::UserDisconnected { user, cause: Cause::SHIP_ABSENT }),
        }
    }

    fn port_of(&self, station: Address) -> Option<usize> {
        let heard = &self.settings.heard;
        let place = heard.binary_search_by_key(&station, |(address, _)| *address).ok()?;
        Some(heard[place].1 as usize)
    }

    /// The call is connected: the caller is sent a call progress text.
    fn complete(&mut self, context: &mut Context<'_>, user: UserId) {
        let Some((port, link)) = self.links.of_user(user) else { return };
        let called = context.ports[port].links.key(link).map(|key| key.own);
        if let (true, Some(called)) = (self.settings.call_progress, called) {
            self.send_text(context, (port, link), &format!("*** Connected to {called}\r"));
        }
    }

    /// A call is cleared: its user is sent the cause, unless the other user cleared it, and disconnected.
    fn end_user(&mut self, context: &mut Context<'_>, user: UserId, reason: ClearReason) {
        let Some(link) = self.links.of_user(user) else { return };
        if !self.settings.call_progress || reason.cause == Cause::DTE_ORIGINATED {
            return self.disconnect(context, link);
        }
        self.forget(link);
        self.links.add(link, Role::Closing);
        let place = reason.address.map_or(String::new(), |address| format!(" at {address}"));
        self.send_text(context, link, &format!("*** Disconnected: {:?}{place}\r", reason.cause));
    }

    /// Sends a user a call progress text.
    fn send_text(&mut self, context: &mut Context<'_>, link: PortLink, text: &str) {
        self.links.text_sent(link);
        context.send(link.0, link.1, Information::User(Payload::text(text)));
    }

    /// The packet layer stops or releases a user.
    fn set_user_busy(&mut self, context: &mut Context<'_>, user: UserId, busy: bool) {
        self.stopped.retain(|stopped| *stopped != user);
        if busy {
            self.stopped.push(user);
        }
        if let (false, Some((port, link))) = (self.full, self.links.of_user(user)) {
            context.set_busy(port, link, busy);
        }
    }

    /// While the buffers are full, all users are stopped (RNR); the packet layer limits the data of other switches.
    fn update_flow_control(&mut self, context: &mut Context<'_>) {
        let queued: usize = self.links.all().map(|(port, link)| context.backlog(port, link)).sum();
        let used = queued + self.machine.backlog();
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
            let stopped =
                matches!(self.links.role((port, link)), Some(Role::User(user)) if self.stopped.contains(&user));
            context.set_busy(port, link, full || stopped);
        }
    }
}
