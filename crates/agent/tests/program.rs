//! The program as a host runs it: what it serves, refuses and prints, and how it ends.

use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_sojourn-agent");

/// A running program and the address it listens at.
struct Running {
    child: Child,
    address: String,
    stderr: BufReader<ChildStderr>,
}

fn started(arguments: &[&str]) -> Running {
    let mut child = Command::new(PROGRAM).args(arguments).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    let address = line.strip_prefix("listening at ").and_then(|rest| rest.split(';').next());
    Running { address: address.unwrap_or_else(|| panic!("{line}")).to_owned(), child, stderr }
}

fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = Command::new(PROGRAM).args(arguments).output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn an_echo_returns_what_it_receives_until_it_is_terminated() {
    let mut running = started(&["udp-echo://127.0.0.1:0"]);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    socket.send_to(b"twenty octets of data", &running.address).unwrap();
    let mut received = [0; 64];
    let length = socket.recv(&mut received).unwrap();
    assert_eq!(&received[..length], b"twenty octets of data");

    signal(&running.child, "TERM");
    assert_eq!(running.child.wait().unwrap().code(), Some(0));
    let mut summary = String::new();
    running.stderr.read_line(&mut summary).unwrap();
    assert!(summary.contains("1 datagrams reflected"), "{summary}");
}

#[test]
fn with_a_key_file_sighup_does_not_end_it() {
    let folder = std::env::temp_dir().join(format!("sojourn-agent-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("berlin.key");
    std::fs::write(&file, "q8Zr1v0XbN5sYt2LwKcD7uEj9HfGmP4A").unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&file, private).unwrap();
    let mut running = started(&["sojourn://127.0.0.1:0", "--key-file", file.to_str().unwrap()]);

    signal(&running.child, "HUP");
    std::thread::sleep(Duration::from_millis(300));
    assert!(running.child.try_wait().unwrap().is_none(), "it still serves");
    signal(&running.child, "INT");
    assert_eq!(running.child.wait().unwrap().code(), Some(0));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn it_ends_after_its_duration() {
    let mut running = started(&["tcp-echo://127.0.0.1:0", "--duration", "200 ms"]);
    assert_eq!(running.child.wait().unwrap().code(), Some(0));
}

#[test]
fn other_hosts_are_not_served_without_a_key() {
    let (code, text) = refused(&["sojourn://0.0.0.0:0"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("without a key the agent serves loopback only") && text.contains("--open"), "{text}");
}

#[test]
fn rules_of_the_agent_are_refused_for_a_reflector() {
    let (code, text) = refused(&["stamp://127.0.0.1:0", "--open", "--limit", "sessions=3"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("--open is for sojourn://, not for stamp"), "{text}");
    assert!(text.contains("--limit is for sojourn://, not for stamp"), "{text}");
}

#[test]
fn what_the_python_package_serves_alone_is_named() {
    let (code, text) = refused(&["xtp+udp://127.0.0.1:36000"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("sojourn-agent does not serve xtp+udp"), "{text}");
}

#[test]
fn a_misspelt_limit_is_refused_with_the_nearest_name() {
    let (code, text) = refused(&["--limit", "packetrate=5 /s"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("did you mean `packet-rate`?"), "{text}");
}
