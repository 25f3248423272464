use std::cmp::Ordering;

/// A binary min-heap of numbers whose order is given with each call, so that what they number can
/// change in between.
#[derive(Debug, Default)]
pub(crate) struct IndexHeap {
    items: Vec<usize>,
}

impl IndexHeap {
    pub(crate) fn peek(&self) -> Option<usize> {
        self.items.first().copied()
    }

    pub(crate) fn push(&mut self, item: usize, order: impl Fn(usize, usize) -> Ordering) {
        self.items.push(item);
        let mut child = self.items.len() - 1;
        while child > 0 {
            let parent = (child - 1) / 2;
            if order(self.items[child], self.items[parent]).is_ge() {
                break;
            }
            self.items.swap(child, parent);
            child = parent;
        }
    }

    pub(crate) fn pop(&mut self, order: impl Fn(usize, usize) -> Ordering) -> Option<usize> {
        let last = self.items.pop()?;
        let Some(first) = self.items.first_mut() else { return Some(last) };
        let least = std::mem::replace(first, last);
        self.sift_down(order);
        Some(least)
    }

    fn sift_down(&mut self, order: impl Fn(usize, usize) -> Ordering) {
        let mut parent = 0;
        loop {
            let left = 2 * parent + 1;
            let mut least = parent;
            for child in [left, left + 1] {
                if child < self.items.len() && order(self.items[child], self.items[least]).is_lt() {
                    least = child;
                }
            }
            if least == parent {
                return;
            }
            self.items.swap(parent, least);
            parent = least;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pops_in_order_whatever_was_pushed_when() {
        let keys: Vec<u64> = (0..200).map(|i: u64| i * 7919 % 211).collect();
        let order = |a: usize, b: usize| keys[a].cmp(&keys[b]);
        let mut heap = IndexHeap::default();
        (0..100).for_each(|i| heap.push(i, order));
        let mut popped: Vec<_> = (0..50).filter_map(|_| heap.pop(order)).collect();
        assert!(popped.is_sorted_by_key(|i| keys[*i]));
        (100..200).for_each(|i| heap.push(i, order));
        let rest: Vec<_> = std::iter::from_fn(|| heap.pop(order)).collect();
        assert!(rest.is_sorted_by_key(|i| keys[*i]));
        popped.extend(rest);
        popped.sort_unstable();
        assert_eq!(popped, (0..200).collect::<Vec<_>>());
    }
}
