//! Contains panics: a panic inside a model is our bug and fails its point, never the process.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What `work` gives, or the message and place of its panic.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    install_hook();
    let outer = CATCHING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(outer);
    result.map_err(|_| MESSAGE.take().unwrap_or_else(|| "a panic without a message".to_owned()))
}

/// The hook keeps the message of a panic that will be caught here, and leaves all others to the hook before.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |information| {
            if !CATCHING.get() {
                return before(information);
            }
            let place = information.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
            let message = information.payload_as_str().unwrap_or("a panic without a message");
            MESSAGE.set(Some(format!("{message}{place}")));
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message_and_place_and_work_goes_on() {
        let message = catch(|| panic!("the queue has {} heads", 2)).unwrap_err();
        assert!(message.starts_with("the queue has 2 heads (") && message.contains("fault.rs:"), "{message}");
        assert_eq!(catch(|| 7), Ok(7));
    }
}
