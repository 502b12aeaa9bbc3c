//! Sync numbers: serial number arithmetic modulo 2^32 (RFC 1982).

/// Whether `one` is after `other`; the two are less than 2^31 apart.
#[inline]
pub(super) const fn is_after(one: u32, other: u32) -> bool {
    (one.wrapping_sub(other) as i32) > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_across_their_wrap() {
        assert!(is_after(1, 0) && !is_after(0, 1) && !is_after(5, 5));
        assert!(is_after(3, u32::MAX - 3) && !is_after(u32::MAX - 3, 3));
    }
}
