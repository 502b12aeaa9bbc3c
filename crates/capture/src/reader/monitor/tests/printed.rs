//! Frames that are printed and read again: each printer is written from the source of its program.

use std::fmt::Write as _;

use proptest::prelude::*;
use sojourn_protocols::ax25::wire::Role;

use super::super::ax25::{Control, Heading, callsign};
use super::{NET_ROM, read};

/// A frame of any kind whose text has all of it: P and F are printed with command and response alone.
fn headings() -> impl Strategy<Value = Heading> {
    let address = ("[A-Z0-9]{1,6}", 0..16_u8).prop_map(|(name, ssid)| callsign(&format!("{name}-{ssid}")).unwrap());
    let control = prop_oneof![
        (0..8_u8, 0..8_u8).prop_map(|(n_s, n_r)| Control::I { n_s, n_r }),
        (0..4_u8, 0..8_u8).prop_map(|(kind, n_r)| Control::S { code: kind << 2 | 1, n_r }),
        prop::sample::select(vec![0x03, 0x0f, 0x2f, 0x43, 0x63]).prop_map(Control::U),
    ];
    let role = prop::sample::select(vec![Role::Command, Role::Response]);
    let path = (address.clone(), address.clone(), prop::collection::vec(address, 0..4), 0..5_usize);
    (path, control, role, any::<bool>()).prop_map(|((from, to, via, repeated), control, role, poll_final)| {
        let via = via.into_iter().enumerate().map(|(at, address)| (address, at < repeated)).collect();
        let pid = control.has_information().then_some(0xf0);
        Heading { from, to, via, role, control, poll_final, is_extended: false, pid }
    })
}

fn name(control: Control, names: [&'static str; 5]) -> &'static str {
    match control {
        Control::I { .. } => "I",
        Control::S { code, .. } => ["RR", "RNR", "REJ", "SREJ"][usize::from(code >> 2)],
        Control::U(code) => names[[0x03, 0x0f, 0x2f, 0x43, 0x63].iter().position(|known| *known == code).unwrap()],
    }
}

/// As `listen/ax25dump.c` prints it, with the dump of `-h`.
fn of_axlisten(heading: &Heading, data: &[u8]) -> String {
    let Heading { from, to, via, role, control, poll_final, .. } = heading;
    let mut line = format!("ax0: fm {from} to {to}");
    if !via.is_empty() {
        line += " via";
    }
    via.iter().for_each(|(digi, repeated)| write!(line, " {digi}{}", if *repeated { "*" } else { "" }).unwrap());
    let known = name(*control, ["UI", "DM", "SABM", "DISC", "UA"]);
    write!(line, " ctl {}", if known == "SREJ" { "[invalid]" } else { known }).unwrap();
    match control {
        Control::I { n_s, n_r } => write!(line, "{n_r}{n_s}").unwrap(),
        Control::S { n_r, .. } => write!(line, "{n_r}").unwrap(),
        Control::U(_) => {}
    }
    line.push(match (role, poll_final) {
        (Role::Command, true) => '+',
        (Role::Command, false) => '^',
        (_, true) => '-',
        (_, false) => 'v',
    });
    if heading.pid.is_some() {
        write!(line, " pid=F0(Text) len {}", data.len()).unwrap();
    }
    line += " 10:11:12.123456 \n";
    for (at, octets) in data.chunks(16).enumerate().filter(|_| heading.pid.is_some()) {
        let hexadecimal = octets.iter().fold(String::new(), |line, octet| line + &format!("{octet:02X} "));
        let characters: String =
            octets.iter().map(|octet| if octet.is_ascii_graphic() { char::from(*octet) } else { '.' }).collect();
        writeln!(line, "{:04X}  {hexadecimal:48} | {characters}", 16 * at).unwrap();
    }
    line
}

fn path(heading: &Heading) -> String {
    let last = heading.via.iter().rposition(|(_, repeated)| *repeated);
    let via = heading.via.iter().enumerate();
    let start = format!("{}>{}", heading.from, heading.to);
    via.fold(start, |path, (at, (digi, _))| path + &format!(",{digi}{}", if last == Some(at) { "*" } else { "" }))
}

/// As `src/direwolf.c` prints it; UI frames of text have no description.
fn of_dire_wolf(heading: &Heading, data: &[u8]) -> String {
    let (role, flag) = if heading.role == Role::Command { ("cmd", "p") } else { ("res", "f") };
    let known = name(heading.control, ["UI", "DM", "SABM", "DISC", "UA"]);
    let value = u8::from(heading.poll_final);
    let description = match heading.control {
        Control::I { n_s, n_r } => format!("({known} {role}, n(s)={n_s}, n(r)={n_r}, {flag}={value}, pid=0xf0)"),
        Control::S { n_r, .. } => format!("({known} {role}, n(r)={n_r}, {flag}={value})"),
        Control::UI => String::new(),
        Control::U(_) => format!("({known} {role}, {flag}={value})"),
    };
    let printed = data.iter().filter(|_| heading.pid.is_some()).fold(String::new(), |text, octet| match octet {
        b'!'..=b'~' => text + &char::from(*octet).to_string(),
        _ => text + &format!("<0x{octet:02x}>"),
    });
    format!("[0.1 2022-02-26 10:11:12] {}:{description}{printed}\n", path(heading))
}

/// As `Moncode.c` prints it.
fn of_bpq(heading: &Heading, data: &str) -> String {
    let (role, flag) = if heading.role == Role::Command { ("C", "P") } else { ("R", "F") };
    let known = name(heading.control, ["UI", "DM", "C", "D", "UA"]);
    let flag = if heading.poll_final { format!(" {flag}") } else { String::new() };
    let frame = match heading.control {
        Control::I { n_s, n_r } => format!("<{known} {role}{flag} S{n_s} R{n_r}>"),
        Control::S { n_r, .. } => format!("<{known} {role}{flag} R{n_r}>"),
        Control::UI => format!("<UI {role}>"),
        Control::U(_) => format!("<{known} {role}{flag}>"),
    };
    let information = if heading.pid.is_some() { format!(":\r{data}") } else { String::new() };
    format!("10:11:12R {} Port=1 {frame}{information}\r", path(heading))
}

/// A segment: the side that sends it, whether it is SYN, and its data.
type Step = (bool, u32);

/// Lines of `print-tcp.c` of a connection with these first numbers, and the numbers of each segment.
fn of_tcpdump(isn: [u32; 2], steps: &[Step]) -> (String, Vec<[u32; 2]>) {
    let ends = ["10.0.0.1.40000", "10.0.0.2.80"];
    let mut next = isn.map(|number| number.wrapping_add(1));
    let mut text =
        format!("10:11:12.000000 IP {} > {}: Flags [S], seq {}, win 9, length 0\n", ends[0], ends[1], isn[0]);
    writeln!(
        text,
        "10:11:12.000000 IP {} > {}: Flags [S.], seq {}, ack {}, win 9, length 0",
        ends[1], ends[0], isn[1], next[0]
    )
    .unwrap();
    let mut numbers = vec![[isn[0], 0], [isn[1], next[0]]];
    for &(server, length) in steps {
        let (side, other) = (usize::from(server), usize::from(!server));
        let relative = |side: usize, number: u32| number.wrapping_sub(isn[side]);
        write!(text, "10:11:12.000000 IP {} > {}: Flags [.]", ends[side], ends[other]).unwrap();
        if length > 0 {
            let seq = relative(side, next[side]);
            write!(text, ", seq {seq}:{}", seq.wrapping_add(length)).unwrap();
        }
        writeln!(text, ", ack {}, win 9, length {length}", relative(other, next[other])).unwrap();
        numbers.push([next[side], next[other]]);
        next[side] = next[side].wrapping_add(length);
    }
    (text, numbers)
}

proptest! {
    #[test]
    fn a_frame_that_is_printed_and_read_again_is_the_same(heading in headings(), data in prop::collection::vec(any::<u8>(), 1..80)) {
        let data: &[u8] = if heading.pid.is_some() { &data } else { &[] };
        let octets = [&heading.octets()[..], data].concat();
        prop_assert_eq!(&read(&of_axlisten(&heading, data)).0, &[(0, octets.clone())]);
        let of_text = Heading { role: Role::Command, poll_final: false, ..heading.clone() };
        let of_text = if heading.control == Control::UI { of_text } else { heading.clone() };
        let octets = [&of_text.octets()[..], data].concat();
        prop_assert_eq!(&read(&of_dire_wolf(&of_text, data)).0, &[(0, octets)]);
    }

    #[test]
    fn text_that_bpq_prints_and_is_read_again_is_the_same(heading in headings(), text in "[!-~][ -~]{0,40}(\r[!-~]{1,9}){0,3}") {
        let poll_final = heading.poll_final && heading.control != Control::UI;
        let heading = Heading { poll_final, ..heading };
        let data: &[u8] = if heading.pid.is_some() { text.as_bytes() } else { &[] };
        let octets = [&heading.octets()[..], data].concat();
        prop_assert_eq!(&read(&of_bpq(&heading, &text)).0, &[(0, octets)]);
    }

    #[test]
    fn numbers_that_tcpdump_counts_from_0_are_those_of_the_segments(
        isn in any::<[u32; 2]>(),
        steps in prop::collection::vec((any::<bool>(), 0..1460_u32), 1..20),
    ) {
        let (text, numbers) = of_tcpdump(isn, &steps);
        let number = |octets: &[u8], at: usize| u32::from_be_bytes(octets[at..at + 4].try_into().unwrap());
        let found: Vec<[u32; 2]> = read(&text).0.iter().map(|(_, octets)| [number(octets, 24), number(octets, 28)]).collect();
        prop_assert_eq!(found, numbers);
    }

    #[test]
    fn any_lines_behind_a_packet_of_any_program_are_read_or_passed_over(kind in 0..7_u8, text in "([ -~\u{e9}\t]{0,60}\n){0,8}") {
        crate::fuzz::monitor_text(&[&[b'0' + kind], text.as_bytes()].concat());
    }

    #[test]
    fn lines_of_a_text_with_any_octets_changed_are_read_or_passed_over(changes in prop::collection::vec((any::<u16>(), any::<u8>()), 1..12)) {
        let mut text = [crate::fuzz::TEXTS.concat(), NET_ROM.to_owned()].concat().into_bytes();
        for (at, octet) in changes {
            let at = usize::from(at) % text.len();
            text[at] = octet;
        }
        for kind in b'0'..=b'6' {
            crate::fuzz::monitor_text(&[&[kind], &text[..]].concat());
        }
    }
}
