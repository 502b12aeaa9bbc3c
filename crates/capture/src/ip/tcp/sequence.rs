//! Sequence numbers, which wrap (RFC 9293, 3.4).

/// Whether sequence number `left` is before `right`.
pub fn is_before(left: u32, right: u32) -> bool {
    (left.wrapping_sub(right) as i32) < 0
}

/// Whether the ranges from the first to the one after the last sequence number have one in common.
pub fn overlap(one: (u32, u32), other: (u32, u32)) -> bool {
    is_before(one.0, other.1) && is_before(other.0, one.1)
}

/// Whether range `inner` is within `outer`.
pub fn contains(outer: (u32, u32), inner: (u32, u32)) -> bool {
    !is_before(inner.0, outer.0) && !is_before(outer.1, inner.1)
}
