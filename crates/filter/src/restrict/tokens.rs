//! Ranges of tokens.

use outpour_cql::Partitioner;

use super::Answer;
use crate::parse::tokens;
use crate::{Comparison, Predicate};

/// Tokens from the first to the last, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenRange {
    /// The first one
    pub first: i128,
    /// The last one, not less
    pub last: i128,
}

impl TokenRange {
    /// Whether `token` is one of them.
    #[must_use]
    pub fn contains(&self, token: i128) -> bool {
        (self.first..=self.last).contains(&token)
    }

    fn meet(self, other: Self) -> Option<Self> {
        let (first, last) = (self.first.max(other.first), self.last.min(other.last));
        (first <= last).then_some(Self { first, last })
    }
}

/// The ranges that are left by all conditions.
pub(super) fn of(
    conjuncts: &[&Predicate],
    partitioner: Partitioner,
    answers: &mut [Answer],
) -> Vec<TokenRange> {
    let ring = Ring::of(partitioner);
    let mut left = Tokens { ranges: vec![ring.0], is_exact: true };
    for (conjunct, answer) in conjuncts.iter().zip(answers) {
        let tokens = ring.tokens(conjunct, false);
        if tokens.is_exact {
            *answer = Answer::Exact;
        } else if tokens.ranges != [ring.0] {
            *answer = Answer::Inexact;
        }
        left = left.and(&tokens);
    }
    left.ranges
}

/// All tokens.
struct Ring(TokenRange);

/// The tokens that a condition leaves; exact if it holds of all of them.
struct Tokens {
    ranges: Vec<TokenRange>,
    is_exact: bool,
}

impl Ring {
    fn of(partitioner: Partitioner) -> Self {
        let (first, last) = tokens(partitioner);
        Self(TokenRange { first, last })
    }

    /// Those for which `predicate` can be true; for which it can be false, if `negated`.
    fn tokens(&self, predicate: &Predicate, negated: bool) -> Tokens {
        let all = |parts: &[Predicate]| {
            let start = Tokens { ranges: vec![self.0], is_exact: true };
            parts.iter().fold(start, |left, part| left.and(&self.tokens(part, negated)))
        };
        let any = |parts: &[Predicate]| {
            let start = Tokens { ranges: Vec::new(), is_exact: true };
            parts.iter().fold(start, |left, part| left.or(self.tokens(part, negated)))
        };
        match predicate {
            Predicate::And(parts) if !negated => all(parts),
            Predicate::And(parts) => any(parts),
            Predicate::Or(parts) if !negated => any(parts),
            Predicate::Or(parts) => all(parts),
            Predicate::Not(inner) => self.tokens(inner, !negated),
            Predicate::Token { comparison, token, .. } => {
                let ranges = self.compared(*comparison, *token);
                let ranges = if negated { self.without(&ranges) } else { ranges };
                Tokens { ranges, is_exact: true }
            }
            _ => Tokens { ranges: vec![self.0], is_exact: false },
        }
    }

    fn compared(&self, comparison: Comparison, token: i128) -> Vec<TokenRange> {
        let Self(TokenRange { first, last }) = *self;
        let (first, last) = match comparison {
            Comparison::Equal => (token, token),
            Comparison::Less => (first, token - 1),
            Comparison::LessOrEqual => (first, token),
            Comparison::Greater => (token.saturating_add(1), last),
            Comparison::GreaterOrEqual => (token, last),
        };
        let is_any = first <= last && comparison.reaches(token, self.0);
        if is_any { vec![TokenRange { first, last }] } else { Vec::new() }
    }

    fn without(&self, ranges: &[TokenRange]) -> Vec<TokenRange> {
        let mut rest = Vec::new();
        let mut next = Some(self.0.first);
        for range in ranges {
            if let Some(first) = next.filter(|first| *first < range.first) {
                rest.push(TokenRange { first, last: range.first - 1 });
            }
            next = range.last.checked_add(1);
        }
        let last = self.0.last;
        rest.extend(next.filter(|first| *first <= last).map(|first| TokenRange { first, last }));
        rest
    }
}

impl Comparison {
    /// Whether any token of the ring compares so: none is greater than the last.
    fn reaches(self, token: i128, ring: TokenRange) -> bool {
        self != Self::Greater || token < ring.last
    }
}

impl Tokens {
    fn and(self, other: &Self) -> Self {
        let meet =
            |a: &TokenRange| other.ranges.iter().filter_map(|b| a.meet(*b)).collect::<Vec<_>>();
        let ranges = self.ranges.iter().flat_map(meet).collect();
        Self { ranges, is_exact: self.is_exact && other.is_exact }
    }

    fn or(self, other: Self) -> Self {
        let mut all = [self.ranges, other.ranges].concat();
        all.sort_unstable();
        let mut ranges: Vec<TokenRange> = Vec::new();
        for range in all {
            match ranges.last_mut() {
                Some(before) if range.first <= before.last.saturating_add(1) => {
                    before.last = before.last.max(range.last);
                }
                _ => ranges.push(range),
            }
        }
        Self { ranges, is_exact: self.is_exact && other.is_exact }
    }
}
