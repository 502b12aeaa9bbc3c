//! Texts as the programs print them, and what is read of them.

mod printed;

use crate::LinkType;
use crate::reader::{Fault, ReadError};
use crate::testing::{gzip, open, packets};

const SECOND: u64 = 1_000_000_000;
const MILLISECOND: u64 = 1_000_000;

/// Nanoseconds since the first packet and octets of all packets of a text, and what was wrong with it.
fn read(text: &str) -> (Vec<(u64, Vec<u8>)>, Vec<String>) {
    let mut reader = open(vec![text.as_bytes().to_vec()]).unwrap_or_else(|error| panic!("{error}"));
    let found = packets(&mut reader).into_iter().map(|(time, _, octets)| (time, octets)).collect();
    (found, reader.faults().iter().map(|Fault { reason, .. }| reason.clone()).collect())
}

fn times(text: &str) -> Vec<u64> {
    read(text).0.into_iter().map(|(time, _)| time).collect()
}

fn refusal(text: &str) -> String {
    open(vec![text.as_bytes().to_vec()]).err().map(|error| error.to_string()).expect("a refusal")
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// A NET/ROM connection as `axlisten` prints it.
const NET_ROM: &str = "\
nino: fm N0CALA-14 to N0CALB-2 ctl I00^ pid=CF(NET/ROM) len 192 15:36:57.051240 \n\
\n\
NET/ROM: N0CALA-14->N0CALC-10 ttl 15\n\
\x20        conn rqst: my ckt 01/06 wnd 4 N0CALA@N0CALA-14 timeout 120\n\
nino: fm N0CALB-2 to N0CALA-14 ctl I10+ pid=CF(NET/ROM) len 21 15:37:01.582841 \n\
NET/ROM: N0CALC-10->N0CALA-14 ttl 24\n\
\x20        conn ack: ur ckt 01/06 my ckt 04/F7 wnd 4\n\
nino: fm N0CALA-14 to N0CALB-2 ctl RR1v 15:37:01.583446 \n\
nino: fm N0CALB-2 to N0CALA-14 ctl I12+ pid=CF(NET/ROM) len 51 15:37:04.763059 \n\
NET/ROM: N0CALC-5->N0CALA-14 ttl 24\n\
\x20        info: ur ckt 01/06 txseq 1 rxseq 0\n\
0000  *** N0CALA-14 Connected to CMS.\n";

#[test]
fn axlisten_prints_net_rom_whose_octets_are_those_of_the_frames() {
    let mut reader = open(vec![NET_ROM.as_bytes().to_vec()]).unwrap();
    let request = reader.next_packet().unwrap();
    let octets = hex(
        "9c6086829884e4 9c60868298827d 00 cf 9c60868298827c 9c608682988675 0f 0106000001 04 9c608682988260 9c60868298827c 7800",
    );
    assert_eq!(request.data, octets);
    // addresses, control field, PID and the 192 octets of which 37 are printed
    assert_eq!((request.link_type, request.original_length), (LinkType::AX25, 16 + 192));
    let acknowledgement = reader.next_packet().unwrap();
    assert_eq!(acknowledgement.time.picoseconds(), 4_531_601_000_000);
    let octets = hex("9c6086829882fc 9c608682988465 30 cf 9c608682988674 9c60868298827d 18 010604f702 04");
    assert_eq!((acknowledgement.data, acknowledgement.original_length), (&octets[..], 37));
    assert_eq!(reader.next_packet().unwrap().data, hex("9c608682988464 9c6086829882fd 21"));
    let information = reader.next_packet().unwrap();
    let octets = [
        &hex("9c6086829882fc 9c608682988465 34 cf 9c60868298866a 9c60868298827d 18 0106010005")[..],
        b"*** N0CALA-14 Connected to CMS.",
    ];
    assert_eq!((information.data, information.original_length), (&octets.concat()[..], 67));
    assert!(reader.next_packet().is_none());
    assert_eq!((reader.interfaces()[0].name.as_deref(), reader.interfaces()[0].cut), (Some("nino"), 1));
    assert!(reader.faults()[0].reason.starts_with("characters that do not print are dots"));
}

#[test]
fn axlisten_prints_octets_in_three_forms() {
    let heading = "ax0: fm A to B ctl I00^ pid=F0(Text) len 7 10:11:12.5\n";
    let whole = |dump: &str| read(&[heading, dump].concat()).0[0].1[16..].to_vec();
    assert_eq!(whole("0000  Hello..\n"), b"Hello..");
    let octets = "48 65 6C 6C 6F 0D 0A ";
    assert_eq!(whole(&format!("0000  {octets:48} | Hello..\n")), b"Hello\r\n");
    // readable: ends of lines are those of the text
    assert_eq!(whole("Hel\nlo\n"), b"Hel\rlo\r");
    let old = "wl2k: fm AA6BD to AA6BD-10 ctl SABM+ 11:40:15\nwl2k: fm AA6BD-10 to AA6BD ctl UA- 11:40:16\n";
    assert_eq!(times(old), [0, SECOND]);
}

#[test]
fn times_of_day_run_over_midnight_and_a_clock_that_goes_back_was_set() {
    let log = |stamps: &[&str]| {
        stamps.iter().fold(String::new(), |log, time| log + &format!("ax0: fm A to B ctl RR0v {time}\n"))
    };
    let text = log(&["23:59:59.5", "00:00:00.25", "23:59:59.9", "00:00:01", "08:00:00", "01:00:00"]);
    let hours = 3600 * SECOND;
    let expected = [
        0,
        750 * MILLISECOND,
        750 * MILLISECOND,
        1500 * MILLISECOND,
        8 * hours + 500 * MILLISECOND,
        25 * hours + 500 * MILLISECOND,
    ];
    assert_eq!(times(&text), expected);
    let mut reader = open(vec![log(&["08:00:00", "09:00:00", "08:00:01", "08:00:02"]).into_bytes()]).unwrap();
    let found: Vec<u64> = packets(&mut reader).iter().map(|(time, ..)| *time).collect();
    assert_eq!((found, reader.clock_faults().steps), (vec![0, hours, hours, hours + SECOND], 1));
    assert!(!reader.is_simulated());
    assert_eq!(times(&log(&["1645889817.25", "1645889818.5"])), [0, 1250 * MILLISECOND]);
    assert_eq!(times(&log(&["2022-12-31 23:59:59.5", "2023-01-01 00:00:00.5"])), [0, SECOND]);
}

#[test]
fn times_that_begin_at_0_are_since_the_packet_before_or_the_first() {
    let log = |stamps: &[&str]| {
        stamps.iter().fold(String::new(), |log, time| {
            log + &format!("{time} IP 10.0.0.1 > 10.0.0.2: ICMP echo request, id 1, seq 1, length 8\n")
        })
    };
    let previous = log(&[" 00:00:00.000000", " 00:00:00.200000", " 00:00:00.100000", "-00:00:00.050000"]);
    let (found, faults) = read(&previous);
    let found: Vec<u64> = found.iter().map(|(time, _)| time / MILLISECOND).collect();
    // the last is stamped before its predecessor, and taken at its instant
    assert_eq!(found, [0, 200, 300, 300]);
    assert!(faults.contains(&"times are read as since the packet before, for the first is 0 (option -ttt)".to_owned()));
    let first = log(&[" 00:00:00.000000", " 00:00:00.100000", " 00:00:00.200000"]);
    assert_eq!(times(&first), [0, 100 * MILLISECOND, 200 * MILLISECOND]);
}

#[test]
fn dire_wolf_prints_frames_with_the_time_of_its_option() {
    let text = "Dire Wolf version 1.7\n\n\
        Digipeater WIDE1-1 audio level = 50(10/8)   _|||||___\n\
        [0.3 10:11:12] N0CALL-9>APRS,WIDE1-1*,WIDE2-1:!4237.14NS07120.83W#<0x0d>\n\
        Position, DIGI (white center), Generic\n\
        \x1b[0;35m\x1b[K[0L 10:11:13] N0CALL>KP4DJT:(SABM cmd, p=1)\x1b[0m\n\
        [0 10:11:14] KP4DJT>N0CALL:(UA res, f=1)\n\
        [0 10:11:15] KP4DJT>N0CALL:(I cmd, n(s)=1, n(r)=2, p=0, pid=0xf0)a(b)<0x0d>\n\
        [0 10:11:16] KP4DJT>NODES:(UI cmd, p=0)<0xff>NODE  \n";
    let (found, faults) = read(text);
    let found: Vec<(u64, Vec<u8>)> = found.into_iter().map(|(time, octets)| (time / SECOND, octets)).collect();
    let [a, b] = ["9c6086829898", "96a06888 94a8"].map(hex);
    let expected = [
        [
            &hex("82a0a4a64040e0")[..],
            &a,
            &[0x72],
            &hex("ae9288 8a6240e2 ae92888a644063 03f0"),
            b"!4237.14NS07120.83W#\r",
        ]
        .concat(),
        [&b[..], &[0xe0], &a, &[0x61, 0x3f]].concat(),
        [&a[..], &[0x60], &b, &[0xe1, 0x73]].concat(),
        [&a[..], &[0xe0], &b, &[0x61, 0x42, 0xf0], b"a(b)\r"].concat(),
        [&hex("9c9e888aa640e0")[..], &b, &[0x61, 0x03, 0xcf, 0xff], b"NODE  "].concat(),
    ];
    let expected: Vec<(u64, Vec<u8>)> = (0..5).zip(expected).collect();
    assert_eq!(found, expected);
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn a_hexadecimal_dump_of_dire_wolf_is_the_frame() {
    let text = "[0 10:11:16] KP4DJT>N0CALL:(UI cmd, p=0)Hi\n------\n\
        U frame UI: p/f=0, Xerox, length = 18\n dest    N0CALL  0 c/r=1 res=3 last=0\n\
        \x20 000:  9c 60 86 82 98 98 e0 96 a0 68 88 94 a8 61 03 ca  .`.......h...a..\n\
        \x20 010:  48 69                                            Hi\n------\n";
    let (found, _) = read(text);
    assert_eq!(found[0].1, hex("9c6086829898e0 96a0688894a861 03ca 4869"));
}

#[test]
fn the_log_of_dire_wolf_has_sources_and_times() {
    let text = "chan,utime,isotime,source,heard,level,error,dti,name,symbol,latitude,longitude,speed,course,altitude,frequency,offset,\
        tone,system,status,telemetry,comment\n\
        0,1645889817,2022-02-26T15:36:57Z,N0CALL-9,WIDE1-1,50(10/8),0,!,N0CALL-9,/>,1.0,2.0,,,,,,,,,,\"a, b\"\n\
        0,1645889819,2022-02-26T15:36:59Z,N0CALL,N0CALL,50(10/8),0,>,N0CALL,,,,,,,,,,,,,\n";
    let (found, faults) = read(text);
    assert_eq!(found.iter().map(|(time, _)| time / SECOND).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(found[0].1, hex("9c9e888aa6a8e0 9c608682989872 ae92888a6240e3 03f0 21"));
    assert!(faults[0].starts_with("this log has neither destinations, shown as NODEST"), "{faults:?}");
}

#[test]
fn bpq_prints_text_behind_its_frames() {
    let text = "10:11:12T N0CALL>KP4DJT,DIGI* Port=2 <C C P>\r10:11:13R KP4DJT>N0CALL,DIGI* Port=2 <UA R F>\r\
        10:11:14R KP4DJT>N0CALL Port=2 <I C S0 R0>:\rHello\rthere\r\
        10:11:15R KP4DJT>N0CALL Port=2 <I C P S1 R0> NET/ROM\r  N0CALC-10 to N0CALA-14 ttl 24 cct=0106  <INFO S3 R4>M:\rHi\r\
        10:11:16T N0CALL>KP4DJT Port=2 <RR R F R2>\r 2:Fm N0CALL To ID Via DIGI <UI pid=F0 Len=5>[10:11:17]\rbea\r";
    let (found, faults) = read(text);
    let times: Vec<u64> = found.iter().map(|(time, _)| time / SECOND).collect();
    assert_eq!(times, [0, 1, 2, 3, 4, 5]);
    let [a, b, digi] = ["9c6086829898", "96a0688894a8", "88928e924040"].map(hex);
    assert_eq!(found[0].1, [&b[..], &[0xe0], &a, &[0x60], &digi, &[0xe1, 0x3f]].concat());
    assert_eq!(found[1].1, [&a[..], &[0x60], &b, &[0xe0], &digi, &[0xe1, 0x73]].concat());
    assert_eq!(found[2].1, [&a[..], &[0xe0], &b, &[0x61, 0x00, 0xf0], b"Hello\rthere"].concat());
    let net_rom = hex("9c608682988674 9c60868298827d 18 0106030425");
    assert_eq!(found[3].1[16..], [&net_rom[..], b"Hi"].concat());
    assert_eq!(found[4].1[14..], [0x51]);
    assert_eq!(found[5].1[21..], *b"\x03\xf0bea");
    assert_eq!(
        faults,
        ["the length of information is not printed and taken from the text, which lacks characters that do not print"]
    );
}

#[test]
fn tcpdump_prints_segments_whose_numbers_are_made_again() {
    let text = "tcpdump: listening on eth0\n\
        10:11:12.000000 IP 10.0.0.1.33779 > 10.0.0.2.80: Flags [S], seq 603899916, win 64240, options [mss 1460,sackOK,TS val 7 ecr 0,nop,wscale 7], length 0\n\
        10:11:12.100000 IP 10.0.0.2.80 > 10.0.0.1.33779: Flags [S.], seq 2043824403, ack 603899917, win 64240, options [mss 1460], length 0\n\
        10:11:12.100100 IP 10.0.0.1.33779 > 10.0.0.2.80: Flags [.], ack 1, win 502, length 0\n\
        10:11:12.100200 IP 10.0.0.1.33779 > 10.0.0.2.80: Flags [P.], seq 1:59, ack 1, win 502, length 58: HTTP: GET / HTTP/1.1\n\
        10:11:12.200000 IP 10.0.0.2.80 > 10.0.0.1.33779: Flags [.], ack 59, win 501, options [nop,nop,sack 1 {70:80}], length 0\n";
    let (found, faults) = read(text);
    let segment = |at: usize| found[at].1[20..].to_vec();
    let isn = |number: u32| number.to_be_bytes();
    assert_eq!(found[0].1[..20], hex("4500 003c 0000 0000 0006 0000 0a000001 0a000002"));
    let (client, server) = (603_899_916, 2_043_824_403);
    let ports = hex("83f3 0050");
    let options = hex("020405b4 0402 080a0000000700000000 01 030307");
    assert_eq!(segment(0), [&ports[..], &isn(client), &[0; 4], &hex("a002 faf0 0000 0000"), &options].concat());
    assert_eq!(segment(2), [&ports[..], &isn(client + 1), &isn(server + 1), &hex("5010 01f6 0000 0000")].concat());
    assert_eq!(segment(3), [&ports[..], &isn(client + 1), &isn(server + 1), &hex("5018 01f6 0000 0000")].concat());
    // the length field counts the 58 octets that are not printed
    assert_eq!(found[3].1[2..4], 98_u16.to_be_bytes());
    let sack = [&hex("0101050a")[..], &isn(client + 70), &isn(client + 80)].concat();
    assert_eq!(segment(4)[4..12], [isn(server + 1), isn(client + 59)].concat());
    assert_eq!(segment(4)[20..], sack);
    assert!(faults[0].starts_with("user data of 1 of 5 packets are not in this text"), "{faults:?}");
}

#[test]
fn tcpdump_prints_datagrams_echoes_links_and_headers() {
    let text = "1591780863.000000 eth0  Out IP 10.0.0.1.40000 > 10.0.0.53.53: 22836+ [1au] A? www.tcpdump.org. (56)\n\
        1591780863.100000 eth0  In  IP 10.0.0.53.53 > 10.0.0.1.40000: 22836*- 2/2/5 A 192.139.46.66, A 198.199.88.104 (224)\n\
        1591780863.200000 IP6 fe80::1 > fe80::2: ICMP6, echo request, id 5, seq 6, length 64\n\
        1591780863.300000 00:00:00:00:00:01 > 00:00:00:00:00:02, ethertype 802.1Q (0x8100), length 78: vlan 5, p 1, ethertype IPv4 (0x0800), 10.0.0.1.1 > 10.0.0.2.2: UDP, length 32\n\
        1591780863.400000 IP (tos 0x10, ttl 64, id 39720, offset 0, flags [DF], proto UDP (17), length 60)\n    10.0.0.1.1 > 10.0.0.2.2: [udp sum ok] UDP, length 32\n\
        1591780863.500000 ARP, Reply 10.0.0.2 is-at 00:00:00:00:00:02, length 28\n";
    let (found, faults) = read(text);
    assert_eq!(found.len(), 5);
    assert_eq!(found[0].1, hex("4500 0054 0000 0000 0011 0000 0a000001 0a000035 9c40 0035 0040 0000 5934 0100"));
    assert_eq!(found[1].1[28..], hex("5934 8000"));
    let echo = hex(
        "60000000 0040 3a 00 fe80000000000000 0000000000000001 fe80000000000000 0000000000000002 80000000 0005 0006",
    );
    assert_eq!(found[2].1, echo);
    assert_eq!(found[3].1[..18], hex("000000000002 000000000001 8100 2005 0800"));
    assert_eq!(found[4].1[..12], hex("4510 003c 9b28 4000 4011 0000"));
    assert!(
        faults[0].starts_with("1 packets of other protocols are not read from this text, the first \"ARP, Reply"),
        "{faults:?}"
    );
    let mut reader = open(vec![text.as_bytes().to_vec()]).unwrap();
    while reader.next_packet().is_some() {}
    let interfaces: Vec<_> = reader.interfaces().iter().map(|known| (known.name.as_deref(), known.link_type)).collect();
    assert_eq!(interfaces, [(Some("eth0"), LinkType::RAW_IP), (None, LinkType::RAW_IP), (None, LinkType::ETHERNET)]);
}

#[test]
fn octets_that_tcpdump_prints_are_those_of_the_packet() {
    let text = "10:11:12.0 IP 10.0.0.1.1 > 10.0.0.2.2: UDP, length 4\n\
        \t0x0000:  4500 0020 0001 0000 4011 0000 0a00 0001  E.......@.......\n\
        \t0x0010:  0a00 0002 0001 0002 000c 0000 7069 6e67  ............ping\n\
        10:11:13.0 IP 10.0.0.1.1 > 10.0.0.2.2: UDP, length 4\n";
    let (found, faults) = read(text);
    let whole = hex("4500 0020 0001 0000 4011 0000 0a000001 0a000002 0001 0002 000c 0000 70696e67");
    assert_eq!(found[0].1, whole);
    assert_eq!(found[1].1.len(), 28);
    assert!(faults[0].starts_with("user data of 1 of 2 packets"), "{faults:?}");
}

#[test]
fn text_without_times_is_refused_with_the_option_that_adds_them() {
    let axlisten = "ax0: fm A to B ctl SABM+ \nax0: fm B to A ctl UA- \n";
    assert_eq!(
        refusal(axlisten),
        "file-0 has no time stamps, without which there is nothing to analyse: axlisten prints them without -t or with -tt to -ttttt, \
         versions up to 0.0.8-rc4 with -t"
    );
    assert!(
        refusal("Dire Wolf version 1.7\n[0.3] N0CALL>APRS,WIDE1-1:text\n")
            .ends_with("Dire Wolf prints them with -T '%Y-%m-%d %H:%M:%S'")
    );
    assert!(refusal(" 1:Fm A To B <SABM C P>\n").contains("BPQ writes them to its packet log"));
    assert!(
        refusal("IP 10.0.0.1.1 > 10.0.0.2.2: UDP, length 4\n")
            .ends_with("tcpdump prints them without -t or with -tt to -ttttt")
    );
}

#[test]
fn a_text_of_which_no_line_can_be_read_says_why() {
    assert_eq!(
        refusal("10:11:12.0 IP host.example.http > 10.0.0.2.2: Flags [S], seq 1, win 5, length 0\n"),
        "file-0 has nothing to analyse: it looks like the text of tcpdump, but none of its lines can be read: line 1 has a name for an \
         address or a port, \"host.example.http\": print with tcpdump -n"
    );
    assert!(
        refusal("hello\nworld\n")
            .starts_with("file-0 is in no known format: it begins with \"hello\"; read are pcap, pcapng,")
    );
}

#[test]
fn lines_that_are_not_understood_are_counted_and_the_first_is_named() {
    let text =
        "ax0: fm A to B ctl SABM+ 10:11:12\nax0: fm A to B ctl I0+ 10:11:13\noops\nax0: fm B to A ctl UA- 10:11:14\n";
    let (found, faults) = read(text);
    assert_eq!(found.len(), 2);
    assert_eq!(
        faults,
        [
            "2 lines of the text of axlisten could not be read and were passed over; the first: line 2 has the control field \"I0+\""
        ]
    );
    let compressed = open(vec![gzip(text.as_bytes())]).map(|mut reader| packets(&mut reader).len());
    assert_eq!(compressed.ok(), Some(2));
}

#[test]
fn a_line_that_is_too_long_ends_the_text_behind_the_last_packet() {
    let text = format!("ax0: fm A to B ctl SABM+ 10:11:12\n{}\nax0: fm B to A ctl UA- 10:11:14\n", "x".repeat(70_000));
    let (found, faults) = read(&text);
    assert_eq!(found.len(), 1);
    assert!(faults[0].starts_with("a line has more than 65536 characters"), "{faults:?}");
    assert!(matches!(open(vec![vec![b'x'; 70_000]]), Err(ReadError::NotACapture { .. })));
}
