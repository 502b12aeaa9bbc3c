//! `sojourn-bench QUESTION ARGUMENTS`: one question, one line with the answer, for `benches/run`.

mod clock;
mod hold;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| -> u64 {
        let text = arguments.get(index).unwrap_or_else(|| usage());
        text.parse().unwrap_or_else(|_| usage())
    };
    let answer = match arguments.first().map(String::as_str) {
        Some("hold") => hold::run_hold(number(1), number(2)),
        _ => usage(),
    };
    println!("{answer}");
}

fn usage() -> ! {
    eprintln!("usage: sojourn-bench hold PENDING EVENTS");
    std::process::exit(2);
}
