//! The latency budget of one message: every step charges the time since the previous one to a component, so the
//! components add up to the response time by construction.

use sojourn_core::{Duration, Time};

/// The latency budget of one message, or of one copy of it, over `N` components.
#[derive(Clone, Copy, Debug)]
pub struct LatencyBudget<const N: usize> {
    /// The instant up to which all time is accounted.
    pub accounted_until: Time,
    components: [Duration; N],
}

impl<const N: usize> LatencyBudget<N> {
    /// The budget of a message that the application begins to send at `now`.
    pub fn new(now: Time) -> Self {
        LatencyBudget { accounted_until: now, components: [Duration::ZERO; N] }
    }

    /// Accounts the time up to `until`, if any is left, to `component`.
    #[inline]
    pub fn account(&mut self, component: impl Into<usize>, until: Time) {
        if until > self.accounted_until {
            self.components[component.into()] += until - self.accounted_until;
            self.accounted_until = until;
        }
    }

    /// Time accounted to each component, by its number.
    pub fn components(&self) -> &[Duration; N] {
        &self.components
    }
}

/// Declares a network's latency components in one list: the enum `Component`, the names that metrics use (`COMPONENTS`)
/// and the `LatencyBudget` over them.
#[macro_export]
macro_rules! latency_components {
    ($(#[$doc:meta])* enum Component { $($(#[$component_doc:meta])* $component:ident = $name:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Component {
            $($(#[$component_doc])* $component,)+
        }

        impl From<Component> for usize {
            #[inline]
            fn from(component: Component) -> usize {
                component as usize
            }
        }

        /// Names of the components, as metrics and results use them, in the order of [`Component`].
        pub const COMPONENTS: [&str; [$($name),+].len()] = [$($name),+];

        /// The latency budget over this network's components.
        pub type LatencyBudget = $crate::latency_budget::LatencyBudget<{ COMPONENTS.len() }>;
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_add_up_to_the_time_from_start_to_end_and_none_counts_twice() {
        let at = |us| Time::ZERO + Duration::from_micros(us);
        let mut budget = LatencyBudget::<2>::new(at(10));
        budget.account(0usize, at(15));
        budget.account(1usize, at(12));
        budget.account(1usize, at(40));
        assert_eq!(budget.components(), &[Duration::from_micros(5), Duration::from_micros(25)]);
        assert_eq!(budget.accounted_until, at(40));
    }
}
