//! Lists of flows that any flow can leave at once: each knows its neighbours.

use sojourn_model::slab::NONE;

/// The neighbours of a member.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    before: u32,
    after: u32,
}

impl Link {
    /// That of a member of no list.
    pub const NONE: Link = Link { before: NONE, after: NONE };
}

/// The ends of a list.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    first: u32,
    last: u32,
}

impl Chain {
    /// An empty list.
    pub const NONE: Chain = Chain { first: NONE, last: NONE };

    /// Who is at the head.
    #[inline]
    pub fn first(&self) -> Option<u32> {
        (self.first != NONE).then_some(self.first)
    }

    /// A member of no list goes to the end.
    #[inline]
    pub fn push<T: AsMut<Link>>(&mut self, at: u32, members: &mut [T]) {
        *members[at as usize].as_mut() = Link { before: self.last, after: NONE };
        match self.last {
            NONE => self.first = at,
            last => members[last as usize].as_mut().after = at,
        }
        self.last = at;
    }

    /// A member leaves.
    #[inline]
    pub fn remove<T: AsMut<Link>>(&mut self, at: u32, members: &mut [T]) {
        let Link { before, after } = std::mem::replace(members[at as usize].as_mut(), Link::NONE);
        match before {
            NONE => self.first = after,
            before => members[before as usize].as_mut().after = after,
        }
        match after {
            NONE => self.last = before,
            after => members[after as usize].as_mut().before = before,
        }
    }

    /// All members from the head on.
    pub fn iter<'m, T>(&self, members: &'m [T], link: impl Fn(&T) -> Link + 'm) -> impl Iterator<Item = usize> + 'm {
        let known = |at: u32| (at != NONE).then_some(at);
        std::iter::successors(known(self.first), move |at| known(link(&members[*at as usize]).after))
            .map(|at| at as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl AsMut<Link> for Link {
        fn as_mut(&mut self) -> &mut Link {
            self
        }
    }

    #[test]
    fn members_leave_from_anywhere_and_the_others_keep_their_order() {
        let mut members = [Link::NONE; 5];
        let mut chain = Chain::NONE;
        (0..5).for_each(|at| chain.push(at, &mut members));
        let order = |chain: &Chain, members: &[Link]| chain.iter(members, |link| *link).collect::<Vec<_>>();
        chain.remove(2, &mut members);
        chain.remove(4, &mut members);
        chain.remove(0, &mut members);
        assert_eq!(order(&chain, &members), [1, 3]);
        chain.push(0, &mut members);
        assert_eq!(order(&chain, &members), [1, 3, 0]);
        [1, 3, 0].into_iter().for_each(|at| chain.remove(at, &mut members));
        assert_eq!(chain.first(), None);
    }
}
