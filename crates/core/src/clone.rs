//! Cloning into existing memory: a clone reuses the allocations of the value it replaces.

/// Implements [`Clone`] for a struct field by field, with a `clone_from` that keeps the allocations of its fields; the one
/// that is derived drops them. Copies of a running world are made by the million.
#[macro_export]
macro_rules! clone_fields {
    ([$($generics:tt)*] $type:ty { $($field:ident),+ }) => {
        impl<$($generics)*> Clone for $type {
            fn clone(&self) -> Self {
                Self { $($field: Clone::clone(&self.$field)),+ }
            }

            fn clone_from(&mut self, source: &Self) {
                $(Clone::clone_from(&mut self.$field, &source.$field);)+
            }
        }
    };
}

#[cfg(test)]
mod tests {
    #[derive(Debug, PartialEq)]
    struct Pair<T> {
        values: Vec<T>,
        number: u8,
    }

    clone_fields!([T: Clone] Pair<T> { values, number });

    #[test]
    fn a_clone_over_another_value_keeps_its_memory() {
        let source = Pair { values: vec![1, 2, 3], number: 7 };
        let mut copy = Pair { values: Vec::with_capacity(100), number: 0 };
        copy.clone_from(&source);
        assert_eq!(copy, source);
        assert!(copy.values.capacity() >= 100);
        assert_eq!(source.clone(), source);
    }
}
