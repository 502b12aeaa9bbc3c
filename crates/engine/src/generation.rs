//! Cancels a pending event without searching the queue for it.

/// Which of the timers started for one purpose is the live one.
///
/// An event that a world may want to cancel carries the number that [`Generation::renew`] gave it. Starting
/// the timer anew or cancelling it moves the number on; the old event still comes, is not
/// [`current`](Generation::is_current), and is ignored. A generation wraps after 2^32 renewals, long after
/// the event it could be taken for has left the queue.
///
/// ```
/// use sojourn_engine::Generation;
/// let mut timer = Generation::default();
/// let first = timer.renew();
/// assert!(timer.is_current(first));
/// let second = timer.renew();
/// assert!(!timer.is_current(first) && timer.is_current(second));
/// timer.cancel();
/// assert!(!timer.is_current(second));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Generation(u32);

impl Generation {
    /// Begins a new timer; events of the ones before are void.
    #[inline]
    pub fn renew(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(1);
        self.0
    }

    /// Voids the running timer, if any.
    #[inline]
    pub fn cancel(&mut self) {
        self.renew();
    }

    /// Whether an event with this number is still meant.
    #[inline]
    pub fn is_current(self, number: u32) -> bool {
        self.0 == number
    }
}
