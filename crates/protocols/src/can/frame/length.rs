//! The length of a frame in bits, stuff bits and intermission included.

use super::dlc::{CLASSIC_LIMIT, FD_LIMIT, code_of, fd_length};
use super::{Id, Stuffing, TAIL, crc15};

/// Recessive bits between frames.
pub const INTERMISSION: u16 = 3;

/// Bits from SOF to the DLC of classical frames.
const HEADER: [u16; 2] = [19, 39];
/// Bits of CAN FD from SOF to BRS.
const FD_ARBITRATION: [u16; 2] = [17, 36];
/// Bits of CAN FD from ESI to the DLC.
const FD_CONTROL: u16 = 5;
/// The stuff count of CAN FD.
const STUFF_COUNT: u16 = 4;

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<D> {
    /// A classical data frame, up to 8 bytes.
    Data(D),
    /// A remote frame: a request for a data frame with this data length code.
    Remote(u8),
    /// A CAN FD frame, up to 64 bytes.
    Fd {
        /// Its data; what no code has is padded with zeros.
        data: D,
        /// Whether it switches to the bit rate of the data phase.
        brs: bool,
        /// Whether the sender is error passive.
        esi: bool,
    },
}

/// Bits at the nominal bit rate, and at that of the data phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Length {
    /// At the nominal rate, intermission included.
    pub nominal: u16,
    /// At the rate of the data phase.
    pub data: u16,
}

impl<D: AsRef<[u8]>> Content<D> {
    /// Whether it is a remote frame.
    pub const fn is_remote(&self) -> bool {
        matches!(self, Content::Remote(_))
    }

    /// The number of bytes and whether it switches the bit rate; `None` of classical frames.
    fn shape(&self) -> (usize, Option<bool>) {
        match self {
            Content::Data(data) => (data.as_ref().len().min(CLASSIC_LIMIT), None),
            Content::Remote(_) => (0, None),
            Content::Fd { data, brs, .. } => (fd_length(data.as_ref().len()), Some(*brs)),
        }
    }
}

impl Length {
    /// All bits.
    pub const fn bits(self) -> u16 {
        self.nominal + self.data
    }

    /// Without stuff bits but the fixed ones of CAN FD; `brs` is `None` of a classical frame with this many bytes.
    #[inline]
    pub fn unstuffed(id: Id, bytes: usize, brs: Option<bool>) -> Length {
        let (extended, data) = (usize::from(id.is_extended()), 8 * bytes as u16);
        let Some(brs) = brs else {
            return Length { nominal: HEADER[extended] + data + 15 + TAIL + INTERMISSION, data: 0 };
        };
        let (crc, fixed) = if bytes <= 16 { (17, 6) } else { (21, 7) };
        // the delimiter of the CRC ends the data phase
        let phase = FD_CONTROL + data + STUFF_COUNT + crc + fixed + 1;
        let nominal = FD_ARBITRATION[extended] + TAIL - 1 + INTERMISSION;
        if brs { Length { nominal, data: phase } } else { Length { nominal: nominal + phase, data: 0 } }
    }

    /// With as many stuff bits as a frame with this many bytes can have (Davis, Burns, Bril and Lukkien 2007, section 3.1): one
    /// after the first five bits and after every four that follow.
    #[inline]
    pub fn worst(id: Id, bytes: usize, brs: Option<bool>) -> Length {
        let (extended, plain) = (usize::from(id.is_extended()), Length::unstuffed(id, bytes, brs));
        let most = |bits: u16| (bits - 1) / 4;
        let data = 8 * bytes as u16;
        match brs {
            None => Length { nominal: plain.nominal + most(HEADER[extended] + 15 + data), ..plain },
            Some(brs) => {
                let arbitration = most(FD_ARBITRATION[extended]);
                let all = most(FD_ARBITRATION[extended] + FD_CONTROL + data);
                match brs {
                    true => Length { nominal: plain.nominal + arbitration, data: plain.data + all - arbitration },
                    false => Length { nominal: plain.nominal + all, ..plain },
                }
            }
        }
    }

    /// With the stuff bits that this frame has.
    pub fn exact<D: AsRef<[u8]>>(id: Id, content: Content<D>) -> Length {
        let (bytes, brs) = content.shape();
        let plain = Length::unstuffed(id, bytes, brs);
        match content {
            Content::Data(data) => {
                let data = &data.as_ref()[..bytes];
                Length { nominal: plain.nominal + classic_stuff_bits(id, false, bytes as u8, data), ..plain }
            }
            Content::Remote(code) => {
                Length { nominal: plain.nominal + classic_stuff_bits(id, true, code & 15, &[]), ..plain }
            }
            Content::Fd { data, brs, esi } => {
                let data = data.as_ref();
                let [before, after] = fd_stuff_bits(id, brs, esi, &data[..data.len().min(FD_LIMIT)], bytes);
                match brs {
                    true => Length { nominal: plain.nominal + before, data: plain.data + after },
                    false => Length { nominal: plain.nominal + before + after, ..plain },
                }
            }
        }
    }
}

/// From SOF to the DLC, as a number.
#[inline]
fn header(id: Id, is_remote: bool, code: u8) -> u64 {
    let (value, remote, code) = (u64::from(id.value()), u64::from(is_remote), u64::from(code));
    match id {
        Id::Base(_) => value << 7 | remote << 6 | code,
        Id::Extended(_) => value >> 18 << 27 | 0b11 << 25 | (value & 0x3_ffff) << 7 | remote << 6 | code,
    }
}

/// Stuff bits of a classical frame, from SOF to the end of the CRC.
#[inline]
fn classic_stuff_bits(id: Id, is_remote: bool, code: u8, data: &[u8]) -> u16 {
    let (header, bits) = (header(id, is_remote, code), u32::from(HEADER[usize::from(id.is_extended())]));
    let mut stuffing = Stuffing::first(header, bits);
    let mut crc = (0..bits.div_ceil(8)).rev().fold(0, |crc, byte| crc15(crc, (header >> (8 * byte)) as u8));
    for &byte in data {
        stuffing.byte(byte);
        crc = crc15(crc, byte);
    }
    stuffing.byte((crc >> 7) as u8);
    // seven bits are left: one that differs from the last of them brings no stuff bit
    stuffing.byte((crc << 1) as u8 | (crc as u8 & 1 ^ 1));
    stuffing.count()
}

/// Dynamic stuff bits of a CAN FD frame of `bytes` bytes: before the bit rate switches, and after. One after the last bit of
/// data is the fixed stuff bit there.
fn fd_stuff_bits(id: Id, brs: bool, esi: bool, data: &[u8], bytes: usize) -> [u16; 2] {
    let value = u64::from(id.value());
    // SOF to res: RRS 0, IDE 0, FDF 1, res 0; or SRR 1, IDE 1, ID, RRS 0, FDF 1, res 0
    let (word, bits) = match id {
        Id::Base(_) => (value << 4 | 0b0010, 16),
        Id::Extended(_) => (value >> 18 << 23 | 0b11 << 21 | (value & 0x3_ffff) << 3 | 0b010, 35),
    };
    let mut stuffing = Stuffing::first(word, bits);
    let before = stuffing.count();
    stuffing.bit(brs);
    stuffing.bit(esi);
    let code = code_of(bytes).unwrap_or(15);
    (0..4).rev().for_each(|bit| stuffing.bit(code >> bit & 1 == 1));
    data.iter().for_each(|&byte| stuffing.byte(byte));
    (data.len()..bytes).for_each(|_| stuffing.byte(0));
    let last = match bytes {
        0 => code,
        bytes => data.get(bytes - 1).copied().unwrap_or(0),
    };
    let fixed = u16::from(stuffing.ends_stuffed(last & 1 == 1));
    [before, stuffing.count() - before - fixed]
}
