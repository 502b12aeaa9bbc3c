//! How many buffers a node has and how long they are: both are chosen from sixteen codes.

use thiserror::Error;

/// Buffer counts by code. Codes 1 and 2 both mean one.
pub const COUNTS: [u8; 16] = [0, 1, 1, 2, 3, 5, 7, 11, 15, 23, 31, 47, 63, 95, 127, 191];

/// Buffer sizes in bytes by code. Codes 1 and 2 both mean 20.
pub const SIZES: [u8; 16] = [255, 20, 20, 21, 22, 24, 26, 30, 34, 42, 50, 66, 82, 114, 146, 210];

/// A number of buffers, or a size, for which there is no code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{wanted} is no LonTalk buffer {what}; there are {values:?}")]
pub struct NoCode {
    /// The number asked for.
    pub wanted: u64,
    /// Count or size.
    pub what: &'static str,
    /// The numbers there are, by code.
    pub values: &'static [u8; 16],
}

/// The code of a pool of `count` buffers.
pub fn count_code(count: u64) -> Result<u8, NoCode> {
    code("count", count, &COUNTS)
}

/// The code of buffers of `size` bytes.
pub fn size_code(size: u64) -> Result<u8, NoCode> {
    code("size", size, &SIZES)
}

fn code(what: &'static str, wanted: u64, values: &'static [u8; 16]) -> Result<u8, NoCode> {
    let position = values.iter().position(|value| u64::from(*value) == wanted);
    position.map(|code| code as u8).ok_or(NoCode { wanted, what, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_sizes_have_codes_and_others_are_refused_with_the_list() {
        assert_eq!(count_code(2), Ok(3));
        assert_eq!(count_code(191), Ok(15));
        assert_eq!(size_code(255), Ok(0));
        assert_eq!(size_code(66), Ok(11));
        let error = count_code(4).unwrap_err();
        assert!(error.to_string().starts_with("4 is no LonTalk buffer count; there are [0, 1, 1, 2, 3, 5"));
    }
}
