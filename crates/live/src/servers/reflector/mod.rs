//! Reflectors: the common part of the STAMP session-reflector and UDP echo.
//!
//! Clients are not authenticated, so a reflector must not be worth abusing:
//!
//! 1. it listens only on the address that the user gave, on a port of its own;
//! 2. a reply is never longer than its request;
//! 3. a [`rate_limit`] bounds the replies to one host, and to all;
//! 4. it does not reply to ports below 1024 or to its own: two reflectors with each other's spoofed address, or a reflector
//!    and a chargen service, would loop.

mod handler;
mod open;
pub mod rate_limit;
mod socket;

use sojourn_core::Machine;
use sojourn_scenario::Problems;

pub use self::handler::Codec;
use self::handler::ReflectorHandler;
use self::rate_limit::RateLimit;
pub use self::socket::ReflectorSocket;
use crate::io::clock::Clock;
use crate::io::drive::Driver;
use crate::io::injected_loss::InjectedLoss;
use crate::progress::report::Report;
use crate::target::Target;
use crate::transport::{Listening, Measure, Measured};

/// Binds a socket to the URL's address; the closure reflects until it is cancelled.
pub fn listen<M, R>(
    target: &Target,
    default_port: Option<u16>,
    listening: Listening,
    make: impl FnOnce(Clock) -> (M, R),
) -> Result<Measure, Problems>
where
    M: Machine + Send + 'static,
    R: Codec<M> + Send + 'static,
{
    let clock = Clock::start();
    let socket = open::open(target, default_port, clock)?;
    let (mut machine, codec) = make(clock);
    let rate_limit = RateLimit::of(socket.address().ip());
    Ok(Box::new(move |watch, frames| {
        let loss = InjectedLoss::new(listening.seed, 0, "reflector", listening.inject_loss);
        let mut driver = Driver::new(socket, loss, frames);
        driver.clock = clock;
        let here = driver.link.address();
        watch.begin("reflecting", "1", 0);
        watch.report(Report::of_listener(here.to_string()));
        let mut handler = ReflectorHandler::new(codec, rate_limit, here.port(), &listening, watch);
        driver.run(&mut machine, &mut handler);
        watch.report(Report::note(handler.summary(here)));
        Measured::default()
    }))
}
