//! State that belongs to the original world and not to its copies: a capture, for instance, shows only the frames of
//! the original.

/// A value that copies of a world do not have.
#[derive(Debug)]
pub struct NotCopied<T>(Option<T>);

impl<T> NotCopied<T> {
    /// The value of the original, if it has one.
    pub const fn new(value: Option<T>) -> Self {
        NotCopied(value)
    }

    /// The value, where this is the original and has one.
    #[inline]
    pub fn as_mut(&mut self) -> Option<&mut T> {
        self.0.as_mut()
    }
}

impl<T> Clone for NotCopied<T> {
    fn clone(&self) -> Self {
        NotCopied(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_no_value() {
        let mut original = NotCopied::new(Some(3));
        assert_eq!((original.clone().as_mut(), original.as_mut()), (None, Some(&mut 3)));
    }
}
