//! XTP settings for real hosts; the machine's defaults are for simulations.

use std::time::SystemTime;

use sojourn_core::Duration;
use sojourn_protocols::xtp::machine::{Configuration, Consumption, Limits, Requests};

/// Receive window in bytes. With the system's overhead per datagram it must fit a socket's buffer, or the window itself
/// would cause loss.
const RECEIVE_BUFFER: u32 = 1 << 20;

/// Data packets per status request (SREQ).
const PACKETS_PER_REQUEST: u32 = 8;

/// Idle time after which a listener checks whether its peer is alive.
const CONTEXT_TIMER: Duration = Duration::from_secs(5);

/// Associations at a time that one listener serves; more are refused.
const ASSOCIATIONS: u32 = 64;

/// An association with data packets of `packet_size` bytes.
pub fn configuration(packet_size: u32) -> Configuration {
    Configuration {
        max_data: packet_size,
        requests: Requests::Every(PACKETS_PER_REQUEST),
        fast_nak: true,
        initial_window: 65_536.max(packet_size),
        receive_buffer: RECEIVE_BUFFER,
        send_buffer: 2 * RECEIVE_BUFFER,
        ctimer: CONTEXT_TIMER,
        ..Configuration::default()
    }
}

/// The same for an echo, whose window is limited by what it can return.
pub fn echo_configuration(packet_size: u32) -> Configuration {
    Configuration { consumption: Consumption::Reported, ..configuration(packet_size) }
}

/// Limits of an endpoint; keys start at a random value, so that no peer confuses this run's contexts with an earlier one's.
pub fn limits() -> Limits {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Limits { contexts: ASSOCIATIONS, first_serial: (since.as_nanos() / 1000) as u32, ..Limits::default() }
}
