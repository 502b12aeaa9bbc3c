//! User commands of a node.

/// A command line of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `C NAME`: connects to a node or a station.
    Connect(String),
    /// `B`: disconnects.
    Bye,
    /// Any other line; the node replies with an error.
    Unknown,
}

impl Command {
    /// Parses a line; commands may be abbreviated, as on every node.
    pub fn parse(line: &str) -> Self {
        let mut words = line.split_whitespace();
        let command = words.next().unwrap_or_default().to_ascii_uppercase();
        let is = |whole: &str| !command.is_empty() && whole.starts_with(&command);
        match (words.next(), words.next()) {
            (Some(name), None) if is("CONNECT") => Command::Connect(name.to_ascii_uppercase()),
            (None, None) if is("BYE") => Command::Bye,
            _ => Command::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_may_be_abbreviated() {
        for line in ["C nodeb", "CON NODEB", " connect  NodeB "] {
            assert_eq!(Command::parse(line), Command::Connect("NODEB".into()), "{line:?}");
        }
        for line in ["b", "BYE"] {
            assert_eq!(Command::parse(line), Command::Bye);
        }
    }

    #[test]
    fn other_lines_are_unknown_commands() {
        for line in ["", "C", "C A B", "hello", "CONNECTED A", "B A"] {
            assert_eq!(Command::parse(line), Command::Unknown, "{line:?}");
        }
    }
}
