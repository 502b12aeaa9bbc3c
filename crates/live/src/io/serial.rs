//! Serial lines: eight data bits, no flow control, raw; pseudo-terminals as well.

use std::fs::read_to_string;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Mode, OFlags, open as open_file};
use rustix::io::Errno;
use rustix::termios::{ControlModes, OptionalActions, QueueSelector, tcflush, tcgetattr, tcsetattr};
use sojourn_core::Duration;
use sojourn_core::serial::{Format, Parity};

/// Supported speeds of a serial line, in bit/s.
pub const BIT_RATES: [u32; 14] =
    [300, 600, 1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 76_800, 115_200, 230_400, 460_800, 921_600];

/// Opens a serial device raw and non-blocking, with eight data bits. A pseudo-terminal takes every setting and paces nothing.
pub fn open(path: &Path, line: Format) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = open_file(path, flags, Mode::empty())?;
    let mut settings = tcgetattr(&file)?;
    settings.make_raw();
    settings.control_modes |= ControlModes::CLOCAL | ControlModes::CREAD;
    settings.control_modes &=
        !(ControlModes::CRTSCTS | ControlModes::CSTOPB | ControlModes::PARENB | ControlModes::PARODD);
    if line.parity != Parity::None {
        settings.control_modes |= ControlModes::PARENB;
    }
    if line.parity == Parity::Odd {
        settings.control_modes |= ControlModes::PARODD;
    }
    if line.stop_bits == 2 {
        settings.control_modes |= ControlModes::CSTOPB;
    }
    settings.set_speed(line.bit_rate)?;
    tcsetattr(&file, OptionalActions::Now, &settings)?;
    // what came before is of no request
    tcflush(&file, QueueSelector::IOFlush)?;
    Ok(file)
}

/// How long a USB adapter keeps octets before it passes them on, where its driver reports it: 16 ms is the default of FTDI's.
pub fn latency_timer(path: &Path) -> Option<Duration> {
    let name = path.canonicalize().ok()?.file_name()?.to_str()?.to_owned();
    let text = read_to_string(format!("/sys/class/tty/{name}/device/latency_timer")).ok()?;
    text.trim().parse().ok().map(Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::LocalModes;

    use super::*;

    #[test]
    fn a_line_is_opened_with_the_speed_and_the_stop_bits_that_are_asked_for() {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let path = Path::new(name.to_str().unwrap());
        for bit_rate in BIT_RATES {
            let file = open(path, Format { stop_bits: 2, ..Format::new(bit_rate) }).unwrap();
            let settings = tcgetattr(file.as_fd()).unwrap();
            assert_eq!((settings.input_speed(), settings.output_speed()), (bit_rate, bit_rate));
            assert!(settings.control_modes.contains(ControlModes::CSTOPB | ControlModes::CREAD));
            let cooked = LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
            assert!(!settings.local_modes.intersects(cooked), "raw: {settings:?}");
        }
        assert_eq!(latency_timer(path), None);
        assert_eq!(open(Path::new("/dev/null"), Format::new(9600)).unwrap_err(), Errno::NOTTY);
    }
}
