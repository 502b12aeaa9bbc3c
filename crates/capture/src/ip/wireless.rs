//! Data frames of 802.11 that are not encrypted, with and without the headers that adapters put in front.
//!
//! Sources: IEEE 802.11-2020, 9.2 and 9.3.2; <https://www.radiotap.org>; <https://www.tcpdump.org/linktypes.html>.

use sojourn_protocols::limits::Truncated;

use super::frame::{Carried, MIN_ETHER_TYPE, ParseError, behind_type, logical_link};
use crate::Address;

/// Octets of a check sequence.
const CHECK: usize = 4;
const PRISM: usize = 144;

/// The frame behind the header of radiotap, without its check sequence.
pub fn behind_radiotap(bytes: &[u8]) -> Result<&[u8], ParseError> {
    let truncated = Truncated("radiotap header");
    let (&[_, _, low, high], _) = bytes.split_first_chunk().ok_or(truncated)?;
    let frame = bytes.get(usize::from(u16::from_le_bytes([low, high]))..).ok_or(truncated)?;
    let has_check = flags(bytes).is_some_and(|flags| flags & 0x10 != 0);
    Ok(if has_check { &frame[..frame.len().saturating_sub(CHECK)] } else { frame })
}

/// The field of flags: behind the words that say which fields there are, and the time stamp.
fn flags(bytes: &[u8]) -> Option<u8> {
    let mut at = 4;
    let word = |at: usize| bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word));
    let present = word(at)?;
    while word(at)? >> 31 == 1 {
        at += 4;
    }
    at += 4;
    if present & 1 != 0 {
        at = at.next_multiple_of(8) + 8;
    }
    bytes.get(at).copied().filter(|_| present & 2 != 0)
}

/// The frame behind the header of AVS.
pub fn behind_avs(bytes: &[u8]) -> Result<&[u8], ParseError> {
    let truncated = Truncated("AVS header");
    let (&[_, _, _, _, a, b, c, d], _) = bytes.split_first_chunk().ok_or(truncated)?;
    Ok(bytes.get(u32::from_be_bytes([a, b, c, d]) as usize..).ok_or(truncated)?)
}

/// The frame behind the header of Prism, or that of AVS that some adapters put in its place.
pub fn behind_prism(bytes: &[u8]) -> Result<&[u8], ParseError> {
    match bytes {
        [0x80, 0x21, 0x10, ..] => behind_avs(bytes),
        _ => Ok(bytes.get(PRISM..).ok_or(Truncated("Prism header"))?),
    }
}

/// What a frame carries: a packet if it is one of data and not encrypted, else nothing that is named.
pub fn frame(bytes: &[u8]) -> Result<Carried<'_>, ParseError> {
    let truncated = Truncated("802.11 header");
    let (&[control, flags], _) = bytes.split_first_chunk().ok_or(truncated)?;
    let is_data = control & 0x0c == 0x08;
    let address = |at: usize| bytes.get(at..)?.first_chunk().map(|address| Address::Mac(*address));
    let known = |at: usize| address(at).unwrap_or(Address::Unknown);
    if !is_data {
        return Ok(nothing([known(10), known(4)]));
    }
    let (to_system, from_system) = (flags & 1 != 0, flags & 2 != 0);
    let mut header = 24 + if to_system && from_system { 6 } else { 0 };
    let stations = match (to_system, from_system) {
        (false, false) => [known(10), known(4)],
        (false, true) => [known(16), known(4)],
        (true, false) => [known(10), known(16)],
        (true, true) => [known(24), known(16)],
    };
    let mut is_aggregate = false;
    if control & 0x80 != 0 {
        is_aggregate = bytes.get(header).ok_or(truncated)? & 0x80 != 0;
        header += if flags & 0x80 != 0 { 6 } else { 2 };
    }
    // without data, or encrypted
    if control & 0x40 != 0 || flags & 0x40 != 0 {
        return Ok(nothing(stations));
    }
    // of aggregated frames the first, behind its addresses and length
    header += if is_aggregate { 14 } else { 0 };
    let (ether_type, rest) = logical_link(bytes.get(header..).ok_or(truncated)?)?;
    if ether_type < MIN_ETHER_TYPE {
        return Ok(Carried { ether_type, stations, within: None, bytes: rest });
    }
    behind_type(stations, ether_type, rest)
}

fn nothing<'a>(stations: [Address; 2]) -> Carried<'a> {
    Carried { ether_type: 0, stations, within: None, bytes: &[] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCESS_POINT: [u8; 6] = [2, 0, 0, 0, 0, 9];
    const FROM: [u8; 6] = [2, 0, 0, 0, 0, 1];
    const TO: [u8; 6] = [2, 0, 0, 0, 0, 2];
    const LLC: [u8; 9] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45];

    fn data(control: u8, flags: u8, behind: &[u8]) -> Vec<u8> {
        [&[control, flags, 0, 0][..], &TO, &ACCESS_POINT, &FROM, &[0, 0], behind].concat()
    }

    #[test]
    fn a_frame_of_data_gives_its_packet_and_its_stations_in_any_direction() {
        let plain = data(0x08, 2, &LLC);
        let carried = frame(&plain).unwrap();
        assert_eq!((carried.ether_type, carried.bytes), (0x0800, &[0x45][..]));
        assert_eq!(carried.stations, [Address::Mac(FROM), Address::Mac(TO)]);
        let quality = data(0x88, 2, &[&[0, 0][..], &LLC].concat());
        assert_eq!(frame(&quality).unwrap().bytes, [0x45]);
        let aggregate = data(0x88, 2, &[&[0x80, 0][..], &[0; 14], &LLC].concat());
        assert_eq!(frame(&aggregate).unwrap().bytes, [0x45]);
    }

    #[test]
    fn encrypted_frames_and_those_without_data_carry_nothing_that_is_named() {
        for bytes in [data(0x08, 0x42, &[9; 20]), data(0x48, 1, &[]), data(0x80, 0, &[1; 30])] {
            assert_eq!(frame(&bytes).unwrap().ether_type, 0);
        }
        assert_eq!(frame(&[8]).unwrap_err().to_string(), "truncated in the 802.11 header");
    }

    #[test]
    fn headers_of_adapters_and_check_sequences_are_taken_off() {
        // a time stamp, and flags that announce a check sequence
        let radiotap = [&[0, 0, 17, 0, 3, 0, 0, 0][..], &[0; 8], &[0x10]].concat();
        let whole = [&radiotap[..], &data(0x08, 2, &LLC), &[1, 2, 3, 4]].concat();
        assert_eq!(frame(behind_radiotap(&whole).unwrap()).unwrap().bytes, [0x45]);
        let avs = [&[0x80, 0x21, 0x10, 1, 0, 0, 0, 12][..], &[0; 4], &data(0x08, 2, &LLC)].concat();
        assert_eq!(frame(behind_prism(&avs).unwrap()).unwrap().bytes, [0x45]);
        assert_eq!(behind_radiotap(&[0, 0, 99, 0]).unwrap_err().to_string(), "truncated in the radiotap header");
    }
}
