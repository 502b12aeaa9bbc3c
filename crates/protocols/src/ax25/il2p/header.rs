//! The IL2P header: the payload length, and the addresses and control field of frames that it can represent.
//!
//! ```text
//! octet     bits 5 to 0               bit 6                          bit 7
//! 0         destination, SIXBIT       UI                             reserved
//! 1         destination               PID, highest bit               header type: 1 translated, 0 transparent
//! 2 to 4    destination               PID                            payload octets, highest bits
//! 5         destination               control, highest bit           payload octets
//! 6 to 11   source, SIXBIT            control                        payload octets
//! 12        SSID of the destination in the high bits, of the source in the low ones
//! ```
//!
//! The draft's figures omit the position of P/F in the control field of supervisory frames; it is the highest bit, as
//! in Dire Wolf.

use crate::ax25::wire::{Body, Frame, Modulo, Pid, Role};

/// Octets of a header, without check octets.
pub const HEADER: usize = 13;
/// Octets of two addresses, with the control field, and with a PID.
const ADDRESSES: usize = 14;
const WITH_CONTROL: usize = 15;
const WITH_PID: usize = 16;
/// SIXBIT is ASCII less this.
const SPACE: u8 = 0x20;
/// C bit, reserved bits and extension bit of an address's last octet.
const COMMAND: u8 = 0x80;
const RESERVED: u8 = 0x60;
const LAST: u8 = 0x01;
/// P/F of a control field, and of a translated one.
const POLL: u8 = 0x10;
const TRANSLATED_POLL: u8 = 0x40;
/// Translated PIDs: of supervisory frames, and of unnumbered ones other than UI.
const SUPERVISORY: u8 = 0;
const UNNUMBERED: u8 = 1;
/// PIDs of AX.25 and their translations, those that come back as they were.
const PIDS: [(Pid, u8); 10] = [
    (Pid(0x20), 2),
    (Pid::X25, 3),
    (Pid::COMPRESSED_TCP, 4),
    (Pid::UNCOMPRESSED_TCP, 5),
    (Pid::SEGMENT, 6),
    (Pid::IP, 0xb),
    (Pid::ARP, 0xc),
    (Pid::FLEXNET, 0xd),
    (Pid::NETROM, 0xe),
    (Pid::NONE, 0xf),
];
/// Control fields of unnumbered frames without P/F, by their translation: SABM, DISC, DM, UA, FRMR, UI, XID, TEST.
const OPCODES: [u8; 8] = [0x2f, 0x43, 0x0f, 0x63, 0x87, 0x03, 0xaf, 0xe3];
/// The translation of UI.
const UI: u8 = 5;

/// What a header carries beside the length of the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// Nothing: the payload is the whole frame (type 0).
    Transparent,
    /// The addresses, the control field and the PID (type 1).
    Translated {
        /// Destination and source, in SIXBIT.
        callsigns: [u8; 12],
        /// SSIDs of destination and source.
        ssids: u8,
        /// Whether it is UI.
        is_ui: bool,
        /// The translated PID, 4 bits.
        pid: u8,
        /// The translated control field, 7 bits.
        control: u8,
    },
}

/// Octets of a frame that its header carries; 0 where it is transparent.
pub fn translated_octets<D>(frame: &Frame<D>) -> usize {
    let addressing = &frame.addressing;
    let is_command = addressing.role == Role::Command;
    if !addressing.digipeaters.is_empty() || !(is_command || addressing.role == Role::Response) {
        return 0;
    }
    let with_pid = |pid: &Pid| if translation(*pid).is_some() { WITH_PID } else { 0 };
    match &frame.body {
        Body::I { modulo: Modulo::Eight, pid, .. } if is_command => with_pid(pid),
        Body::Ui { pid, .. } => with_pid(pid),
        Body::S { modulo: Modulo::Eight, further, .. } if *further == Default::default() => WITH_CONTROL,
        Body::Sabm | Body::Disc | Body::Dm | Body::Ua | Body::Frmr(_) | Body::Xid(_) | Body::Test(_) => WITH_CONTROL,
        _ => 0,
    }
}

fn translation(pid: Pid) -> Option<u8> {
    PIDS.iter().find(|(known, _)| *known == pid).map(|(_, translation)| *translation)
}

impl Header {
    /// The header and the payload of a frame.
    pub fn of(frame: &[u8], modulo: Modulo) -> (Header, &[u8]) {
        Header::translated(frame, modulo).unwrap_or((Header::Transparent, frame))
    }

    fn translated(frame: &[u8], modulo: Modulo) -> Option<(Header, &[u8])> {
        let (addresses, rest) = frame.split_at_checked(ADDRESSES)?;
        let (&control, after) = rest.split_first()?;
        let mut callsigns = [0; 12];
        for (place, sixbit) in callsigns.iter_mut().enumerate() {
            let shifted = addresses[place + usize::from(place >= 6)];
            *sixbit = (shifted >> 1).checked_sub(SPACE).filter(|sixbit| shifted & 1 == 0 && *sixbit < 0x40)?;
        }
        let [destination, source] = [addresses[6], addresses[13]];
        let is_command = destination & COMMAND != 0;
        let are_plain = destination & source & RESERVED == RESERVED && destination & LAST == 0 && source & LAST != 0;
        // the C bits of a version before 2.0 are alike, which has no translation
        if !are_plain || is_command == (source & COMMAND != 0) {
            return None;
        }
        let ssids = (destination >> 1 & 0xf) << 4 | source >> 1 & 0xf;
        let poll = if control & POLL != 0 { TRANSLATED_POLL } else { 0 };
        let command = u8::from(is_command) << 2;
        let with = |is_ui, pid, control, payload| {
            Some((Header::Translated { callsigns, ssids, is_ui, pid, control: poll | control }, payload))
        };
        let has_pid = || after.split_first().and_then(|(pid, rest)| Some((translation(Pid(*pid))?, rest)));
        match control & 3 {
            0 | 2 if modulo == Modulo::Eight && is_command => {
                let (pid, information) = has_pid()?;
                with(false, pid, (control >> 5) << 3 | control >> 1 & 7, information)
            }
            1 if modulo == Modulo::Eight && after.is_empty() => {
                with(false, SUPERVISORY, (control >> 5) << 3 | command | control >> 2 & 3, after)
            }
            3 => match OPCODES.iter().position(|opcode| *opcode == control & !POLL)? as u8 {
                UI => has_pid().and_then(|(pid, information)| with(true, pid, UI << 3 | command, information)),
                opcode => with(false, UNNUMBERED, opcode << 3 | command, after),
            },
            _ => None,
        }
    }

    /// The octets of the header of a payload of this many octets.
    pub fn octets(&self, payload: usize) -> [u8; HEADER] {
        let mut octets = [0; HEADER];
        let mut field = |bit: u8, last: usize, width: usize, value: usize| {
            (0..width).for_each(|place| octets[last - place] |= ((value >> place & 1) as u8) << bit);
        };
        field(7, 11, 10, payload);
        if let Header::Translated { callsigns, ssids, is_ui, pid, control } = *self {
            field(7, 1, 1, 1);
            field(6, 0, 1, is_ui.into());
            field(6, 4, 4, pid.into());
            field(6, 11, 7, control.into());
            octets.iter_mut().zip(callsigns).for_each(|(octet, sixbit)| *octet |= sixbit);
            octets[12] = ssids;
        }
        octets
    }

    /// The header in its octets, and the octets of the payload.
    pub fn parse(octets: &[u8; HEADER]) -> (Header, usize) {
        let field = |bit: u8, last: usize, width: usize| {
            (0..width).rev().fold(0, |value, place| value << 1 | usize::from(octets[last - place] >> bit & 1))
        };
        let payload = field(7, 11, 10);
        if field(7, 1, 1) == 0 {
            return (Header::Transparent, payload);
        }
        let header = Header::Translated {
            callsigns: std::array::from_fn(|place| octets[place] & 0x3f),
            ssids: octets[12],
            is_ui: field(6, 0, 1) != 0,
            pid: field(6, 4, 4) as u8,
            control: field(6, 11, 7) as u8,
        };
        (header, payload)
    }

    /// The octets of the frame before its payload; `None` if the fields are those of no frame.
    pub fn frame(&self) -> Option<Vec<u8>> {
        let Header::Translated { callsigns, ssids, is_ui, pid, control } = *self else { return Some(Vec::new()) };
        let poll = if control & TRANSLATED_POLL != 0 { POLL } else { 0 };
        let layer_3 = PIDS.iter().find(|(_, translation)| *translation == pid).map(|(pid, _)| pid.0);
        let opcode = OPCODES[usize::from(control >> 3 & 7)];
        let (is_command, control, pid) = match (pid, is_ui) {
            (SUPERVISORY, false) => (control & 4 != 0, (control >> 3 & 7) << 5 | (control & 3) << 2 | 1, None),
            (UNNUMBERED, false) => (control & 4 != 0, opcode, None),
            (_, true) => (control & 4 != 0, OPCODES[usize::from(UI)], Some(layer_3?)),
            (_, false) => (true, (control >> 3 & 7) << 5 | (control & 7) << 1, Some(layer_3?)),
        };
        let mut frame: Vec<u8> = Vec::with_capacity(WITH_PID);
        let [destination, source] = if is_command { [COMMAND, 0] } else { [0, COMMAND] };
        frame.extend(callsigns[..6].iter().map(|sixbit| (sixbit + SPACE) << 1));
        frame.push(destination | RESERVED | (ssids >> 4) << 1);
        frame.extend(callsigns[6..].iter().map(|sixbit| (sixbit + SPACE) << 1));
        frame.push(source | RESERVED | (ssids & 0xf) << 1 | LAST);
        frame.push(control | poll);
        frame.extend(pid);
        Some(frame)
    }
}
