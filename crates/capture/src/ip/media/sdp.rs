//! Session descriptions (SDP, RFC 8866): where media are received, and what their payload types are.

use std::net::IpAddr;

use sojourn_core::Duration;

use super::formats::Format;
use crate::ip::endpoints::Endpoint;

/// Payload types of a description that are kept.
const FORMATS: usize = 32;
/// Characters of an encoding's name that are kept.
const NAME: usize = 24;
/// Media of a description that are read.
const MEDIA: usize = 16;

/// Media that a host is ready to receive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Where.
    pub to: Endpoint,
    /// What the payload types are.
    pub formats: Vec<(u8, Format)>,
    /// The time of a packet, where it is stated.
    pub packet_time: Option<Duration>,
}

/// The description in a message: it begins a line.
pub fn body(message: &[u8]) -> Option<&[u8]> {
    let begin = message.windows(5).position(|window| window == b"\nv=0\r" || window == b"\nv=0\n")?;
    Some(&message[begin + 1..])
}

/// The media over RTP that a description offers or accepts.
pub fn descriptions(body: &[u8]) -> Vec<Description> {
    let mut found: Vec<Description> = Vec::new();
    let (mut session, mut is_media, mut is_read) = (None, false, false);
    for line in body.split(|octet| *octet == b'\n').map(<[u8]>::trim_ascii) {
        let Some((&[kind, b'='], value)) = line.split_first_chunk::<2>() else { continue };
        let Ok(value) = std::str::from_utf8(value) else { continue };
        match kind {
            b'm' => {
                let media = media(value, session).filter(|_| found.len() < MEDIA);
                (is_media, is_read) = (true, media.is_some());
                found.extend(media);
            }
            b'c' if !is_media => session = address(value),
            b'c' | b'a' if is_read => {
                if let Some(description) = found.last_mut() {
                    attribute(kind, value, description);
                }
            }
            _ => {}
        }
    }
    found.retain(|description| !description.to.address.is_unspecified());
    found
}

/// `audio 49170 RTP/AVP 0 8 96`: none without RTP, or that was refused by port 0.
fn media(value: &str, session: Option<IpAddr>) -> Option<Description> {
    let mut words = value.split_ascii_whitespace();
    let (_, port, transport) = (words.next()?, words.next()?, words.next()?);
    let port = port.split('/').next()?.parse().ok().filter(|port| *port > 0)?;
    if !transport.contains("RTP/") {
        return None;
    }
    let numbers = words.filter_map(|word| word.parse().ok()).take(FORMATS);
    let formats = numbers.filter_map(|number| Some((number, Format::of_number(number)?))).collect();
    let address = session.unwrap_or(IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED));
    Some(Description { to: Endpoint { address, port }, formats, packet_time: None })
}

/// `IN IP4 10.0.0.1`, of multicast with a time to live behind the address.
fn address(value: &str) -> Option<IpAddr> {
    value.split_ascii_whitespace().nth(2)?.split('/').next()?.parse().ok()
}

fn attribute(kind: u8, value: &str, description: &mut Description) {
    if kind == b'c' {
        description.to.address = address(value).unwrap_or(description.to.address);
    } else if let Some(value) = value.strip_prefix("ptime:") {
        let milliseconds: Option<f64> = value.trim().parse().ok();
        description.packet_time = milliseconds
            .filter(|time| (1.0..=1000.0).contains(time))
            .map(|time| Duration::from_micros((time * 1e3) as u64));
    } else if let Some(format) = value.strip_prefix("rtpmap:").and_then(format) {
        description.formats.retain(|(number, _)| *number != format.0);
        if description.formats.len() < FORMATS {
            description.formats.push(format);
        }
    }
}

/// `96 opus/48000/2`.
fn format(value: &str) -> Option<(u8, Format)> {
    let (number, rest) = value.trim().split_once(' ')?;
    let mut parts = rest.trim().split('/');
    let encoding: String = parts.next()?.chars().take(NAME).collect();
    let clock = parts.next()?.parse().ok().filter(|clock| (1_000..=1_000_000).contains(clock))?;
    Some((number.parse().ok()?, Format { encoding, clock }))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const MESSAGE: &[u8] =
        b"INVITE sip:b SIP/2.0\r\nContent-Type: application/sdp\r\n\r\nv=0\r\no=- 1 1 IN IP4 10.0.0.9\r\n\
        c=IN IP4 10.0.0.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP 0 96 101\r\na=rtpmap:96 opus/48000/2\r\n\
        a=rtpmap:101 telephone-event/8000\r\na=ptime:30\r\nm=video 0 RTP/AVP 34\r\nm=image 40002 udptl t38\r\n\
        m=video 40004 RTP/SAVPF 34\r\nc=IN IP4 10.0.0.2\r\n";

    #[test]
    fn a_description_says_where_what_is_received() {
        let found = descriptions(body(MESSAGE).unwrap());
        let to = |host, port| Endpoint { address: IpAddr::V4(Ipv4Addr::new(10, 0, 0, host)), port };
        assert_eq!(found.iter().map(|of| of.to).collect::<Vec<_>>(), [to(1, 40_000), to(2, 40_004)]);
        let names: Vec<(u8, &str, u32)> =
            found[0].formats.iter().map(|(number, of)| (*number, of.encoding.as_str(), of.clock)).collect();
        assert_eq!(names, [(0, "PCMU", 8_000), (96, "opus", 48_000), (101, "telephone-event", 8_000)]);
        assert_eq!((found[0].packet_time, found[1].packet_time), (Some(Duration::from_millis(30)), None));
    }

    #[test]
    fn a_description_that_is_cut_or_wrong_says_what_can_be_read() {
        let cut = &MESSAGE[..MESSAGE.windows(8).position(|of| of == b"opus/480").unwrap() + 6];
        assert_eq!(descriptions(body(cut).unwrap())[0].formats.len(), 1);
        let wrong = b"v=0\r\nm=audio 99999 RTP/AVP 0\r\nm=audio\r\nm=\xff\xff\r\na=rtpmap:0 x/0\r\n";
        assert_eq!(descriptions(wrong), []);
        assert_eq!(body(b"INVITE sip:b SIP/2.0\r\n\r\n"), None);
    }
}
