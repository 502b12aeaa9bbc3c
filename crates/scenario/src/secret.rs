//! A text that nothing prints: a key, a password, the value of a header field.

use std::fmt;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// A secret text. Printed it is `[secret]`; it is compared in a time that depends on its length alone, and its memory is
/// cleared when it is dropped. It has no serial form, so that what is written to a file cannot have it as a field:
///
/// ```compile_fail
/// serde_json::to_string(&sojourn_scenario::Secret::new("a")).unwrap();
/// ```
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// A secret of this text.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(Zeroizing::new(text.into()))
    }

    /// The text itself, for the one place that sends it or derives a key of it.
    pub fn revealed(&self) -> &str {
        &self.0
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Secret) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[secret]")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[secret]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_printed_as_one_and_equals_its_like() {
        let secret = Secret::new("hunter2");
        assert_eq!(format!("{secret} {secret:?} {:?}", Some(&secret)), "[secret] [secret] Some([secret])");
        assert_eq!(secret.revealed(), "hunter2");
        assert!(secret == Secret::new("hunter2"));
        assert!(["hunter3", "hunter", "hunter22", ""].iter().all(|other| secret != Secret::new(*other)));
    }
}
