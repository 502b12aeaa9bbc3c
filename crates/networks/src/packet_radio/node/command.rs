//! What a user types.

/// A line of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `C NAME`: on to a node or a station.
    Connect(String),
    /// `B`: good-bye.
    Bye,
    /// Anything else.
    Unknown,
}

impl Command {
    /// Reads a line; a word may be shortened to its first letters, as on every node.
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
    fn a_command_may_be_shortened() {
        for line in ["C nodeb", "CON NODEB", " connect  NodeB "] {
            assert_eq!(Command::parse(line), Command::Connect("NODEB".into()), "{line:?}");
        }
        for line in ["b", "BYE"] {
            assert_eq!(Command::parse(line), Command::Bye);
        }
    }

    #[test]
    fn what_is_no_command_is_unknown() {
        for line in ["", "C", "C A B", "hello", "CONNECTED A", "B A"] {
            assert_eq!(Command::parse(line), Command::Unknown, "{line:?}");
        }
    }
}
