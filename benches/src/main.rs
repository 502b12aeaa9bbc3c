//! `sojourn-bench QUESTION ARGUMENTS`: one question, one line of JSON with the answer, for `benches/run`.

mod clock;
mod hold;
mod scenarios;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| -> u64 {
        let text = arguments.get(index).unwrap_or_else(|| usage());
        text.parse().unwrap_or_else(|_| usage())
    };
    match arguments.first().map(String::as_str) {
        Some("hold") => println!(r#"{{"rate": {}}}"#, hold::run_hold(number(1), number(2))),
        Some("customers") => {
            let (rate, mean) = scenarios::customers(number(1));
            println!(r#"{{"rate": {rate}, "mean_response_time": {mean}}}"#);
        }
        _ => usage(),
    }
}

fn usage() -> ! {
    eprintln!("usage: sojourn-bench hold PENDING EVENTS | customers N");
    std::process::exit(2);
}
