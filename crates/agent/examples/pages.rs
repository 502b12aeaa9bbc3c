//! Writes the man page and the completions of `sojourn-agent` into the folder of its argument, as a system has them below
//! `/usr/share`.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::{Shell, generate_to};
use sojourn_agent::Arguments;

const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions"),
    (Shell::Zsh, "zsh/site-functions"),
    (Shell::Fish, "fish/vendor_completions.d"),
];

fn main() -> std::io::Result<()> {
    let root = std::env::args().nth(1).expect("the folder to write to");
    let mut command = Arguments::command();
    let man = Path::new(&root).join("man/man1");
    std::fs::create_dir_all(&man)?;
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    std::fs::write(man.join("sojourn-agent.1"), page)?;
    for (shell, folder) in COMPLETIONS {
        let folder = Path::new(&root).join(folder);
        std::fs::create_dir_all(&folder)?;
        generate_to(shell, &mut command, "sojourn-agent", folder)?;
    }
    Ok(())
}
