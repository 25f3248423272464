//! Values inside values (`serializers/CollectionSerializer.java`, `db/marshal/{TupleType, VectorType,
//! CompositeType, DynamicCompositeType}.java`, 3.0 to 5.0; vectors 5.0).
//!
//! ```text
//! list, set   i32 count │ count × element
//! map         i32 count │ count × (key, value)
//! tuple, UDT  field after field; those at the end may be missing, they are null
//!             element, key, value, field: i32 length, bytes; a length of -1 is null
//! vector      the elements, bare if their type has a fixed length, else unsigned vint length, bytes
//! composite   per component: u16 length, bytes, i8 end (0; -1 or 1 only in bounds of slices);
//!             FF FF in front marks the name of a static column
//! dynamic     per component: u16 type, then as composite. Type: 8000 + an alias's letter, or the
//!             length of a class name, which follows
//! ```

use outpour_codec::{Error, Reader, Result};

use crate::Cell;

/// An element of a list or set, a key or value of a map, a field of a tuple or UDT.
pub(crate) fn element<'a>(r: &mut Reader<'a>) -> Result<Cell<'a>> {
    let offset = r.offset();
    match r.i32()? {
        -1 => Ok(None),
        len => match usize::try_from(len) {
            Ok(len) => r.take(len).map(Some),
            Err(_) => Err(Error::Invalid {
                what: "length",
                offset,
                expected: "-1 or more".to_owned(),
                got: len.to_string(),
            }),
        },
    }
}

/// A field of a tuple or UDT, null if it is missing.
pub(crate) fn field<'a>(r: &mut Reader<'a>) -> Result<Cell<'a>> {
    match r.remaining() {
        0 => Ok(None),
        _ => element(r),
    }
}

/// An element of a vector whose elements have `fixed_len` bytes, if that is a number.
pub(crate) fn vector_element<'a>(r: &mut Reader<'a>, fixed_len: Option<usize>) -> Result<&'a [u8]> {
    match fixed_len {
        Some(len) => r.take(len),
        None => r.vint_bytes(),
    }
}

/// A component of a composite and the byte that ends it.
pub(crate) fn component<'a>(r: &mut Reader<'a>) -> Result<(&'a [u8], i8)> {
    Ok((r.short_bytes()?, r.u8()? as i8))
}

/// How a component of a dynamic composite names its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ComponentType<'a> {
    /// A letter, to which the type of the whole composite gives a meaning
    Alias(u8),
    /// A marshal class, with its parameters
    Class(&'a [u8]),
}

/// The type of the component that follows.
pub(crate) fn component_type<'a>(r: &mut Reader<'a>) -> Result<ComponentType<'a>> {
    match r.u16()? {
        alias if alias & 0x8000 != 0 => Ok(ComponentType::Alias(alias as u8)),
        len => r.take(usize::from(len)).map(ComponentType::Class),
    }
}

/// That the value ends here.
pub(crate) fn end(r: &Reader<'_>) -> Result<()> {
    match r.remaining() {
        0 => Ok(()),
        extra => Err(Error::Invalid {
            what: "end of the value",
            offset: r.offset(),
            expected: "no more bytes".to_owned(),
            got: format!("{extra} more"),
        }),
    }
}
