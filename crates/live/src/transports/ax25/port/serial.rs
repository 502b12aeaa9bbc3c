//! Serial lines: eight bits, no parity, no flow control, raw.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Mode, OFlags, open as open_file};
use rustix::io::Errno;
use rustix::termios::{ControlModes, OptionalActions, tcgetattr, tcsetattr};

/// Supported speeds of a serial line, in bit/s.
pub const BIT_RATES: [u32; 12] = [300, 600, 1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800];

/// Opens a serial device raw and non-blocking.
pub fn open(path: &Path, bit_rate: u32) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = open_file(path, flags, Mode::empty())?;
    let mut settings = tcgetattr(&file)?;
    settings.make_raw();
    settings.control_modes |= ControlModes::CLOCAL | ControlModes::CREAD;
    settings.control_modes &= !(ControlModes::CRTSCTS | ControlModes::CSTOPB | ControlModes::PARENB);
    settings.set_speed(bit_rate)?;
    tcsetattr(&file, OptionalActions::Now, &settings)?;
    Ok(file)
}
