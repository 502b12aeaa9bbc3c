//! A master node on a pseudo-terminal that answers ReadProperty, and prints the tokens that it has lost at its end.
//!
//!     mstp-node DEVICE MAC MAX_MASTER BAUD SECONDS

use std::os::fd::OwnedFd;
use std::time::Duration;

use bacnet_transport::mstp::{MstpConfig, MstpTransport, SerialPort};
use bacnet_transport::port::TransportPort;
use bacnet_types::error::Error;
use bytes::Bytes;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use tokio::io::unix::AsyncFd;

/// A pseudo-terminal.
struct Terminal(AsyncFd<OwnedFd>);

type Fault = Box<dyn std::error::Error>;

impl Terminal {
    fn open(path: &str) -> Result<Terminal, Fault> {
        let file = open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK, Mode::empty())?;
        let mut settings = tcgetattr(&file)?;
        settings.make_raw();
        tcsetattr(&file, OptionalActions::Now, &settings)?;
        Ok(Terminal(AsyncFd::new(file)?))
    }
}

fn refused(fault: std::io::Error) -> Error {
    Error::Transport(fault)
}

impl SerialPort for Terminal {
    async fn write(&self, data: &[u8]) -> Result<(), Error> {
        let mut rest = data;
        while !rest.is_empty() {
            let mut ready = self.0.writable().await.map_err(refused)?;
            match rustix::io::write(self.0.get_ref(), rest) {
                Ok(length) => rest = &rest[length..],
                Err(Errno::AGAIN) => ready.clear_ready(),
                Err(fault) => return Err(refused(fault.into())),
            }
        }
        Ok(())
    }

    async fn drain(&self) -> Result<(), Error> {
        Ok(())
    }

    async fn read(&self, buffer: &mut [u8]) -> Result<usize, Error> {
        loop {
            let mut ready = self.0.readable().await.map_err(refused)?;
            match rustix::io::read(self.0.get_ref(), &mut *buffer) {
                Ok(length) => return Ok(length),
                Err(Errno::AGAIN) => ready.clear_ready(),
                Err(fault) => return Err(refused(fault.into())),
            }
        }
    }
}

/// The ComplexACK of a ReadProperty between neighbours: the parameters again, and a REAL.
fn answer(npdu: &[u8]) -> Option<Bytes> {
    let [1, 4, 0, _, invoke, 12, parameters @ ..] = npdu else { return None };
    let ack = [&[1, 0, 0x30, *invoke, 12], parameters, &[0x3e, 0x44, 0x42, 0xc8, 0, 0, 0x3f]].concat();
    Some(Bytes::from(ack))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Fault> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [device, mac, max_master, baud, seconds] = &arguments[..] else { return Err("five arguments".into()) };
    let config = MstpConfig {
        this_station: mac.parse()?,
        max_master: max_master.parse()?,
        baud_rate: baud.parse()?,
        ..MstpConfig::default()
    };
    let mut transport = MstpTransport::new(Terminal::open(device)?, config);
    let diagnostics = transport.diagnostics();
    let mut received = transport.start().await?;
    let end = tokio::time::sleep(Duration::from_secs(seconds.parse()?));
    tokio::pin!(end);
    loop {
        tokio::select! {
            () = &mut end => break,
            npdu = received.recv() => {
                let Some(npdu) = npdu else { break };
                if let (Some(reply), Some(to)) = (answer(&npdu.npdu), npdu.reply_tx) {
                    let _ = to.send(reply);
                }
            }
        }
    }
    println!("{:?}", diagnostics.snapshot());
    transport.stop().await?;
    Ok(())
}
