//! A bus of pseudo-terminals: what is written to one is read at all others.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, ioctl_fionbio, read, write};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// A bus, which ends when it is dropped.
pub struct Bus {
    /// Paths of its devices.
    pub devices: Vec<String>,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    /// Kept, so that no device hangs up before it is opened.
    _devices: Vec<OwnedFd>,
}

impl Bus {
    /// A bus with this many devices.
    pub fn new(devices: usize) -> Bus {
        let masters: Vec<OwnedFd> = (0..devices).map(|_| master()).collect();
        let devices: Vec<String> =
            masters.iter().map(|master| ptsname(master, Vec::new()).unwrap().into_string().unwrap()).collect();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK;
        let kept = devices.iter().map(|device| open(device.as_str(), flags, Mode::empty()).unwrap()).collect();
        let ends = Arc::new(AtomicBool::new(false));
        let shared = ends.clone();
        let thread = std::thread::spawn(move || relay(&masters, &shared));
        Bus { devices, ends, thread: Some(thread), _devices: kept }
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        self.thread.take().map(JoinHandle::join);
    }
}

fn master() -> OwnedFd {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    ioctl_fionbio(&master, true).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    // raw from the beginning: a terminal echoes
    let mut settings = rustix::termios::tcgetattr(&master).unwrap();
    settings.make_raw();
    rustix::termios::tcsetattr(&master, rustix::termios::OptionalActions::Now, &settings).unwrap();
    master
}

fn relay(masters: &[OwnedFd], ends: &AtomicBool) {
    let mut buffer = [0; 4096];
    // a line has no load
    let _ = rustix::process::setpriority_process(None, -20);
    while !ends.load(Ordering::Relaxed) {
        let mut files: Vec<PollFd<'_>> = masters.iter().map(|master| PollFd::new(master, PollFlags::IN)).collect();
        let _ = poll(&mut files, Some(&Timespec { tv_sec: 0, tv_nsec: 50_000_000 }));
        for (from, master) in masters.iter().enumerate() {
            while let Ok(length) = read(master, &mut buffer[..]) {
                let others = masters.iter().enumerate().filter(|(to, _)| *to != from);
                others.for_each(|(_, other)| write_all(other, &buffer[..length]));
            }
        }
    }
}

/// Writes what is accepted: a device that reads nothing loses the rest, as on a line.
fn write_all(to: &OwnedFd, mut octets: &[u8]) {
    while !octets.is_empty() {
        match write(to, octets) {
            Ok(length) => octets = &octets[length..],
            Err(Errno::INTR) => {}
            Err(_) => return,
        }
    }
}
