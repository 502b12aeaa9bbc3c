//! Buffer counts and sizes of a node, each one of sixteen codes.

use thiserror::Error;

/// Buffer counts by code. Codes 1 and 2 both mean one.
pub const COUNTS: [u8; 16] = [0, 1, 1, 2, 3, 5, 7, 11, 15, 23, 31, 47, 63, 95, 127, 191];

/// Buffer sizes in bytes by code. Codes 1 and 2 both mean 20.
pub const SIZES: [u8; 16] = [255, 20, 20, 21, 22, 24, 26, 30, 34, 42, 50, 66, 82, 114, 146, 210];

/// A buffer count or size that no code represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{requested} is not a LonTalk buffer {what}; valid values are {values:?}")]
pub struct NoCode {
    /// The count or size requested.
    pub requested: u64,
    /// What it is: count or size.
    pub what: &'static str,
    /// The valid values, by code.
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

fn code(what: &'static str, requested: u64, values: &'static [u8; 16]) -> Result<u8, NoCode> {
    let position = values.iter().position(|value| u64::from(*value) == requested);
    position.map(|code| code as u8).ok_or(NoCode { requested, what, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_sizes_without_a_code_are_refused_with_the_valid_values() {
        assert_eq!(count_code(2), Ok(3));
        assert_eq!(count_code(191), Ok(15));
        assert_eq!(size_code(255), Ok(0));
        assert_eq!(size_code(66), Ok(11));
        let error = count_code(4).unwrap_err();
        assert!(error.to_string().starts_with("4 is not a LonTalk buffer count; valid values are [0, 1, 1, 2, 3, 5"));
    }
}
