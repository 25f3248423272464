use arrow_array::Array;
use arrow_buffer::BooleanBuffer;
use outpour_cql::{Empties, NotOfType};

/// Values of a column, or of what is inside it.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) array: &'a dyn Array,
    pub(super) empties: &'a Empties,
}

static NO_EMPTIES: Empties = Empties { mask: None, children: Vec::new() };

impl<'a> View<'a> {
    pub(super) fn downcast<A: 'static>(&self) -> Result<&'a A, NotOfType> {
        self.array.as_any().downcast_ref().ok_or_else(|| {
            NotOfType::new(std::any::type_name::<A>(), self.array.data_type().to_string())
        })
    }

    /// The values inside, in child `index`.
    pub(super) fn child(&self, index: usize, array: &'a dyn Array) -> Self {
        Self { array, empties: self.empties.children.get(index).unwrap_or(&NO_EMPTIES) }
    }

    /// Which values are empty. Marks behind the last value mean nothing.
    pub(super) fn empty_mask(&self) -> Option<BooleanBuffer> {
        self.empties.mask.as_ref().map(|mask| mask.slice(0, self.array.len()))
    }

    /// Which values are not null; `None`: all.
    pub(super) fn present(&self) -> Option<BooleanBuffer> {
        let valid = self.array.nulls().filter(|nulls| nulls.null_count() > 0)?.inner();
        Some(match self.empty_mask() {
            Some(empty) => valid | &empty,
            None => valid.clone(),
        })
    }
}

/// The answers to a question about values: true, false, or neither.
pub(super) struct Truth {
    /// Which of the known answers are true; the others mean nothing.
    pub(super) holds: BooleanBuffer,
    /// Which answers are known; `None`: all.
    pub(super) known: Option<BooleanBuffer>,
}

impl Truth {
    /// `outcome` is of the values that are neither null nor empty, `empty_holds` of empty ones.
    pub(super) fn of(outcome: BooleanBuffer, empty_holds: bool, values: View<'_>) -> Self {
        let holds = match (values.empty_mask(), empty_holds) {
            (None, _) => outcome,
            (Some(empty), true) => &outcome | &empty,
            (Some(empty), false) => &outcome & &!&empty,
        };
        Self { holds, known: values.present() }
    }

    /// Which answers are true.
    pub(super) fn trues(self) -> BooleanBuffer {
        match &self.known {
            Some(known) => &self.holds & known,
            None => self.holds,
        }
    }

    /// Which answers are false.
    pub(super) fn falses(self) -> BooleanBuffer {
        let fails = !&self.holds;
        match &self.known {
            Some(known) => &fails & known,
            None => fails,
        }
    }
}

/// A bit for each value.
#[inline(always)]
pub(super) fn pack<T: Copy>(values: &[T], holds: impl Fn(T) -> bool) -> BooleanBuffer {
    let word = |chunk: &[T]| {
        let bits = chunk.iter().enumerate();
        bits.fold(0_u64, |word, (i, value)| word | u64::from(holds(*value)) << i)
    };
    let words: Vec<u64> = values.chunks(64).map(word).collect();
    BooleanBuffer::new(words.into(), 0, values.len())
}
