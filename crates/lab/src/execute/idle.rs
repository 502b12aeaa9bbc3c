//! Processors that nothing else uses: threads of one replication wait for each other so often that beside other work one is quicker.

use std::time::Duration;

/// Instants at which is looked for other work, and the time between two: what runs briefly does not count.
const LOOKS: usize = 3;
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// Processors that no other process goes on using. One where the system does not say how many are in use.
pub fn idle_processors() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let look = |number: usize| {
        if number > 0 {
            std::thread::sleep(BETWEEN_LOOKS);
        }
        running_threads_of_others()
    };
    let others = (0..LOOKS).map(look).try_fold(usize::MAX, |least, others| Some(least.min(others?)));
    others.map_or(1, |others| processors.saturating_sub(others).max(1))
}

/// Threads of other processes that run or could.
fn running_threads_of_others() -> Option<usize> {
    let load = std::fs::read_to_string("/proc/loadavg").ok()?;
    Some(running_threads(&load)?.saturating_sub(own_running_threads()?))
}

/// Threads of this process that run or could, the one that asks among them.
fn own_running_threads() -> Option<usize> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?.flatten();
    let states = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok());
    Some(states.filter(|stat| is_running(stat)).count())
}

/// Whether a line of `/proc/PID/stat` is of a thread that runs or could: its state follows the name in parentheses (proc(5)).
fn is_running(stat: &str) -> bool {
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R'))
}

/// Threads of all processes that run or could, of a line of `/proc/loadavg`: what is before the slash of its fourth field (proc(5)).
fn running_threads(load: &str) -> Option<usize> {
    let (running, _) = load.split_whitespace().nth(3)?.split_once('/')?;
    running.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{is_running, running_threads};

    #[test]
    fn running_threads_are_the_fourth_field_of_the_load() {
        assert_eq!(running_threads("0.28 0.18 1.26 3/210 4711\n"), Some(3));
        for other in ["", "0.28 0.18 1.26", "0.28 0.18 1.26 busy", "0.28 0.18 1.26 a/b 1"] {
            assert_eq!(running_threads(other), None, "{other:?}");
        }
    }

    #[test]
    fn the_state_of_a_thread_follows_its_name_even_if_that_has_parentheses() {
        assert!(is_running("17 (worker) R 1 17 17 0"));
        assert!(is_running("17 (a) S (b) R 1 17 17 0"));
        assert!(!is_running("17 (R) S 1 17 17 0"));
        assert!(!is_running(""));
    }
}
