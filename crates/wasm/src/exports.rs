//! The exports of the WebAssembly module. Rust accesses only its own buffers; JavaScript gets their addresses.

#![expect(unsafe_code, reason = "the names of exports; no memory is accessed unsafely")]

use std::cell::RefCell;
use std::sync::Once;

use crate::calls::{Session, answer, panicked};

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static SESSION: RefCell<Session> = RefCell::new(Session::default());
}

/// Makes room for a call of `length` bytes; the address to write it to.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Answers the call that was written. After a panic, which ends the module, the output is its message.
#[unsafe(no_mangle)]
pub extern "C" fn call() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| std::panic::set_hook(Box::new(|panic| OUTPUT.set(panicked(panic)))));
    let input = INPUT.take();
    let output = SESSION.with_borrow_mut(|session| answer(session, &input));
    OUTPUT.set(output);
}

/// The address of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(Vec::as_ptr)
}

/// The length of the last answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn output_length() -> usize {
    OUTPUT.with_borrow(Vec::len)
}
