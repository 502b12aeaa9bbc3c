//! Kills and full disks: what was finished is kept, nothing half written is ever seen.

use std::path::Path;
use std::process::{Child, Command as Process, Stdio};
use std::time::Duration;

use crate::common::{MM1, build, folder, request, run};
use sojourn_core::Streams;
use sojourn_lab::Job;
use sojourn_lab::request::{Computing, Run, Sweep};

/// A channel without traffic within the run.
const SILENT: &str = r#"
[network]
kind = "lontalk"
[[medium]]
name = "floor"
[[station]]
name = "device"
count = 2
on = ["floor"]
[[flow]]
name = "report"
from = "device-1"
to = "device-2"
data = "1 B"
arrivals = { kind = "periodic", interval = "1 h", delay = "50 min" }
probe = true
[run]
duration = "1 s"
replications = 1
"#;

/// The folder that a child works in.
const FOLDER: &str = "SOJOURN_TEST_FOLDER";

fn sweep(folder: &Path) -> Sweep {
    let axes = ["flow.customers.arrivals.rate=100:900:200 /s", "station.desk.servers=1,2"];
    let sweep = crate::common::sweep(folder, MM1, &axes);
    Sweep { computing: Computing { out: Some(folder.join("out")), ..sweep.computing.clone() }, ..sweep }
}

/// Not a test of its own: the process that the tests below start and kill.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let job = Job::start(sweep(Path::new(&folder)), build()).unwrap_or_else(|problems| panic!("{problems}"));
    let outcome = job.wait();
    if let Some(error) = &outcome.error {
        println!("error: {error}");
    }
    outcome.warnings.iter().for_each(|warning| println!("warning: {warning}"));
    println!("from cache: {}", outcome.provenance.from_cache);
}

fn start(folder: &Path, wrapper: &[&str]) -> Child {
    let test = std::env::current_exe().expect("the path of this test");
    let mut words: Vec<&std::ffi::OsStr> = wrapper.iter().map(|word| word.as_ref()).collect();
    words.push(test.as_os_str());
    let mut command = Process::new(words[0]);
    command.args(&words[1..]).args(["--exact", "resume::child", "--nocapture", "--test-threads", "1"]);
    command.env(FOLDER, folder).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().expect("a child")
}

#[test]
fn a_sweep_killed_at_many_random_points_and_resumed_gives_the_bytes_of_an_unbroken_one() {
    let broken = folder("killed");
    let mut moments = Streams::new(1, 0).stream("kill");
    let mut finished = Vec::new();
    let mut longest_us = 60_000;
    for _ in 0..25 {
        let mut child = start(&broken, &[]);
        std::thread::sleep(Duration::from_micros(u64::from(moments.below(longest_us))));
        child.kill().expect("SIGKILL");
        child.wait().expect("the end of the child");
        finished.push(entries(&broken.join("cache")));
        if finished.last() == Some(&0) {
            longest_us += longest_us / 4; // a busy host starts a process in more time
        }
    }
    assert!(finished.is_sorted(), "a kill lost what was finished: {finished:?}");
    assert!(finished.last() > Some(&0), "no child finished a replication");
    let resumed = run(sweep(&broken));
    assert_eq!(resumed.progress().from_cache, *finished.last().unwrap() as u64, "every finished replication is read");

    let whole = folder("unbroken");
    let unbroken = run(sweep(&whole));
    assert_eq!(unbroken.progress().from_cache, 0);
    let bytes = |folder: &Path| std::fs::read(folder.join("out/results.json")).unwrap();
    assert!(bytes(&broken) == bytes(&whole));
}

/// Whole entries of a cache.
fn entries(cache: &Path) -> usize {
    let folders = std::fs::read_dir(cache.join("replications")).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten().flatten());
    files.filter(|file| !file.file_name().to_string_lossy().starts_with('.')).count()
}

#[test]
fn on_a_full_disk_a_job_ends_with_an_error_and_leaves_no_half_written_file() {
    let full = folder("full");
    // files may grow to one block of 512 or 1024 bytes, and growing further is an error, not a signal
    let limited = start(&full, &["sh", "-c", "ulimit -f 1; trap '' XFSZ; exec \"$@\"", "sh"]);
    let output = limited.wait_with_output().expect("the end of the child");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("error: cannot write the results to"), "{said}");
    assert!(said.contains("warning: results are not cached"), "{said}");
    let left: Vec<_> = std::fs::read_dir(full.join("out")).unwrap().flatten().map(|file| file.file_name()).collect();
    assert!(left.is_empty(), "{left:?}");

    let again = run(sweep(&full));
    assert_eq!(again.wait().error, None);
    assert!(full.join("out/results.json").exists());
}

#[test]
fn an_unwritable_cache_costs_a_warning_and_changes_no_byte() {
    let folder = folder("no-cache");
    std::fs::write(folder.join("file"), b"").unwrap();
    let blocked = run(Run {
        computing: Computing { cache: Some(folder.join("file")), ..crate::common::computing(&folder) },
        ..request(&folder, MM1)
    });
    let sound = run(request(&folder, MM1));
    assert_eq!(blocked.wait().results_json, sound.wait().results_json);
    assert!(
        blocked.wait().warnings.iter().any(|warning| warning.contains("not cached")),
        "{:?}",
        blocked.wait().warnings
    );
}

#[test]
fn a_corrupt_entry_is_computed_again_to_the_same_bytes() {
    let folder = folder("corrupt");
    let first = run(request(&folder, MM1));
    for file in walk(&folder.join("cache")) {
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x40;
        std::fs::write(&file, bytes).unwrap();
    }
    let second = run(request(&folder, MM1));
    assert_eq!(second.progress().from_cache, 0);
    assert_eq!(first.wait().results_json, second.wait().results_json);
    assert_eq!(run(request(&folder, MM1)).progress().from_cache, 4, "the entries were written anew");
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn a_folder_that_cannot_be_made_is_refused_before_anything_runs() {
    let folder = folder("no-out");
    std::fs::write(folder.join("file"), b"").unwrap();
    let text = crate::common::refusal(Run {
        computing: Computing { out: Some(folder.join("file/out")), ..crate::common::computing(&folder) },
        ..request(&folder, MM1)
    });
    assert!(text.contains("cannot write to") && text.contains("file/out"), "{text}");
    let text = crate::common::refusal(Run { pcap: Some(folder.join("nowhere/a.pcap")), ..request(&folder, SILENT) });
    assert!(text.contains("cannot write") && text.contains("nowhere/a.pcap"), "{text}");
    assert!(!folder.join("cache").exists());
}

#[test]
fn a_capture_of_a_kind_of_network_without_frames_is_refused() {
    let folder = folder("no-frames");
    let text = crate::common::refusal(Run { pcap: Some(folder.join("a.pcap")), ..request(&folder, MM1) });
    assert!(text.contains("a network of kind queue has no frames to capture"), "{text}");
    assert!(!folder.join("a.pcap").exists());
}

#[test]
fn a_capture_that_took_no_frame_says_so() {
    let folder = folder("capture");
    let job = run(Run { pcap: Some(folder.join("a.pcap")), ..request(&folder, SILENT) });
    assert!(job.wait().warnings.iter().any(|warning| warning.contains("holds no frame")), "{:?}", job.wait().warnings);
    assert_eq!(std::fs::read(folder.join("a.pcap")).unwrap().len(), 24);
}
