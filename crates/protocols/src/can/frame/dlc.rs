//! Data length codes.

/// Most data of a classical frame.
pub const CLASSIC_LIMIT: usize = 8;
/// Most data of a CAN FD frame.
pub const FD_LIMIT: usize = 64;

/// Data lengths of CAN FD by code (ISO 11898-1, 10.4.2.4).
pub const FD_LENGTHS: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64];

/// The code of the shortest frame that carries this many bytes; `None` above 64.
pub fn code_of(bytes: usize) -> Option<u8> {
    FD_LENGTHS.iter().position(|&length| usize::from(length) >= bytes).map(|code| code as u8)
}

/// The data of the shortest CAN FD frame that carries this many bytes, padding included; 64 above that.
pub fn fd_length(bytes: usize) -> usize {
    code_of(bytes).map_or(FD_LIMIT, |code| usize::from(FD_LENGTHS[usize::from(code)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_between_two_codes_are_padded_to_the_longer() {
        assert_eq!([0, 8, 9, 12, 13, 33, 64].map(fd_length), [0, 8, 12, 12, 16, 48, 64]);
        assert_eq!((code_of(8), code_of(9), code_of(64), code_of(65)), (Some(8), Some(9), Some(15), None));
    }
}
