//! Data frames of Python by the Arrow C stream interface, without copies: the only file with `unsafe`.
//!
//! A producer hands over C structures with pointers, which are checked as far as they tell: missing callbacks and buffers, negative
//! lengths and counts, parts that do not fit their type, offsets that fall, texts that are no UTF-8, keys beyond their dictionary. How
//! many bytes a buffer has is not among what they tell; there the producer is taken at its word, as by every consumer.
//!
//! Of each structure that was handed over the release callback is called once, when the last column that points into it is dropped.
//! Only columns that the caller reads are formed; the others keep their name and have the type `Null`.

#![allow(unsafe_code, reason = "the Arrow C interface consists of raw pointers")]

#[deny(unsafe_code)]
mod pieces;
#[deny(unsafe_code)]
mod values;

pub(crate) use pieces::read;

use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;

use polars::prelude::{ArrayRef, DataFrame};
use polars_arrow::bitmap::Bitmap;
use polars_buffer::{Buffer, SharedStorage};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow_type::{Field, Kind};
use crate::categories::Shared;
use crate::columns::Reading;
use crate::errors;

/// Structure of a type, as the C data interface lays it out.
#[repr(C)]
struct CSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Self,
    dictionary: *mut Self,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

/// Structure of an array.
#[repr(C)]
struct CArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Self,
    dictionary: *mut Self,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

/// Structure of a stream of arrays.
#[repr(C)]
struct CStream {
    get_schema: Option<unsafe extern "C" fn(*mut Self, *mut CSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Self, *mut CArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Self) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

macro_rules! released_once {
    ($($structure:ident),+) => {$(
        impl $structure {
            fn empty() -> Self {
                // SAFETY: numbers may be zero, pointers null and callbacks absent; that is the structure of nothing.
                unsafe { std::mem::zeroed() }
            }
        }

        impl Drop for $structure {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: the structure is ours, was not moved from, and is released here and nowhere else.
                    unsafe { release(self) };
                }
            }
        }
    )+};
}

released_once!(CSchema, CArray, CStream);

/// An array of the producer, shared by the columns that point into it.
struct Owned(CArray);

// SAFETY: the interface lets any thread read the buffers, which nobody changes, and any thread release them.
unsafe impl Send for Owned {}
// SAFETY: as above.
unsafe impl Sync for Owned {}

type Checked<T> = Result<T, String>;

/// What the arrays of a stream are.
#[derive(Clone, Copy)]
enum Holds<'a> {
    Columns,
    /// One column of this name.
    Column(&'a str),
}

/// What a stream holds, of which those columns that are read have their values.
fn read_stream(
    object: &Bound<'_, PyAny>,
    holds: Holds<'_>,
    reading: impl Fn(&str) -> Reading,
) -> PyResult<DataFrame> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let capsule = capsule
        .cast::<PyCapsule>()
        .map_err(|_| PyTypeError::new_err("`__arrow_c_stream__` did not give a PyCapsule"))?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<CStream>();
    if !pointer.is_aligned() {
        return Err(PyValueError::new_err("the Arrow stream is at an unaligned address"));
    }
    // SAFETY: a capsule of this name points to a stream. It is moved out, as the interface allows, and the capsule is left with one
    // that is released already.
    let mut stream = unsafe { ptr::replace(pointer.as_ptr(), CStream::empty()) };
    let frame = columns(&mut stream, holds, reading);
    drop(stream);
    frame.map_err(|problem| {
        errors::data(object.py(), &format!("the Arrow stream cannot be read: {problem}"))
    })
}

fn columns(
    stream: &mut CStream,
    holds: Holds<'_>,
    reading: impl Fn(&str) -> Reading,
) -> Checked<DataFrame> {
    if stream.release.is_none() {
        return Err("it was read before; make a new one".into());
    }
    let get_schema = stream.get_schema.ok_or("it has no callback for its types")?;
    let get_next = stream.get_next.ok_or("it has no callback for its arrays")?;
    let mut schema = CSchema::empty();
    // SAFETY: the callback of a stream that was not released, with a structure to fill in.
    let status = unsafe { get_schema(stream, &raw mut schema) };
    if status != 0 {
        return Err(said(stream, status));
    }
    let fields = fields(&schema, holds, reading)?;
    drop(schema);
    let mut chunks: Vec<Vec<ArrayRef>> = fields.iter().map(|_| Vec::new()).collect();
    let mut shared: Vec<Shared> = fields.iter().map(|_| Shared::default()).collect();
    let mut height = 0_usize;
    loop {
        let mut array = CArray::empty();
        // SAFETY: as above.
        let status = unsafe { get_next(stream, &raw mut array) };
        if status != 0 {
            return Err(said(stream, status));
        }
        if array.release.is_none() {
            break;
        }
        let batch = Arc::new(Owned(array));
        let part = Part::whole(&batch)?;
        if let Holds::Columns = holds {
            part.has_columns(fields.len())?;
        }
        height = height.checked_add(part.length).ok_or("it has too many rows")?;
        for (i, field) in fields.iter().enumerate().filter(|(_, field)| field.is_read()) {
            let column = part
                .column(i, holds)
                .and_then(|column| column.array(&field.kind, field.is_factor(), &mut shared[i]))
                .map_err(|problem| format!("column `{}`: {problem}", field.name))?;
            chunks[i].push(column);
        }
    }
    let columns = fields.into_iter().zip(chunks).zip(shared);
    let mut columns = columns
        .map(|((field, chunks), shared)| field.column(chunks, shared, height))
        .collect::<Checked<Vec<_>>>()?;
    // Of columns that are not read, several may have one name.
    let mut known = HashSet::new();
    columns.retain(|column| known.insert(column.name().clone()));
    DataFrame::new(height, columns).map_err(|error| error.to_string())
}

/// What a stream says of its failure.
fn said(stream: &mut CStream, status: c_int) -> String {
    let message = stream.get_last_error.and_then(|get_last_error| {
        // SAFETY: a callback of a stream that was not released, right after it failed; the text lives until the next call.
        unsafe { text(get_last_error(stream)) }
    });
    message.unwrap_or_else(|| format!("it failed with status {status}"))
}

/// A text, unless there is none.
///
/// # Safety
/// The pointer is null or that of a text that ends with a zero.
unsafe fn text(pointer: *const c_char) -> Option<String> {
    // SAFETY: by contract of this function.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}

/// The columns that a schema has.
fn fields(
    schema: &CSchema,
    holds: Holds<'_>,
    reading: impl Fn(&str) -> Reading,
) -> Checked<Vec<Field>> {
    if schema.release.is_none() {
        return Err("its type was released already".into());
    }
    if let Holds::Column(name) = holds {
        return Ok(vec![field(schema, name.to_owned(), &reading)?]);
    }
    // SAFETY: the schema is not released, and its texts end with a zero.
    let format = unsafe { text(schema.format) };
    if format.as_deref() != Some("+s") {
        return Err(format!(
            "it holds the type `{}`, and a table of columns is needed",
            format.unwrap_or_default()
        ));
    }
    let count =
        usize::try_from(schema.n_children).map_err(|_| "it has a negative number of columns")?;
    let mut found: Vec<Field> = Vec::new();
    for index in 0..count {
        let child = pointed(schema.children, index).ok_or("the type of a column is missing")?;
        // SAFETY: as above; the children of a schema live as long as it does.
        let child = unsafe { child.as_ref() };
        // SAFETY: as above.
        let name = unsafe { text(child.name) }.unwrap_or_default();
        let field = field(child, name, &reading)?;
        if field.is_read() && found.iter().any(|earlier| earlier.name == field.name) {
            return Err(format!("two columns are called `{}`; rename one", field.name));
        }
        found.push(field);
    }
    Ok(found)
}

fn field(schema: &CSchema, name: String, reading: &impl Fn(&str) -> Reading) -> Checked<Field> {
    let field = Field { reading: reading(&name), name, kind: kind(schema)? };
    if field.is_read() {
        field.check()?;
    }
    Ok(field)
}

fn kind(schema: &CSchema) -> Checked<Kind> {
    // SAFETY: as in `fields`.
    let format = unsafe { text(schema.format) }.ok_or("a type has no format")?;
    let kind = Kind::parse(&format);
    let Some(values) = NonNull::new(schema.dictionary) else {
        return Ok(kind);
    };
    // SAFETY: as in `fields`; the dictionary of a schema lives as long as it does.
    let values = self::kind(unsafe { values.as_ref() })?;
    Ok(kind.with_dictionary(values, schema.flags & 1 == 1, format))
}

/// The pointer at a place in a list of pointers; `None` if the list or the pointer is null or unaligned.
fn pointed<T>(list: *mut *mut T, index: usize) -> Option<NonNull<T>> {
    let list = NonNull::new(list).filter(|list| list.is_aligned())?;
    // SAFETY: callers stay below the number of pointers that the structure states.
    NonNull::new(unsafe { list.add(index).read() }).filter(|pointer| pointer.is_aligned())
}

/// Rows of an array, of which a batch is made or that is a column of one.
#[derive(Clone, Copy)]
struct Part<'a> {
    array: &'a CArray,
    owner: &'a Arc<Owned>,
    offset: usize,
    length: usize,
}

impl<'a> Part<'a> {
    fn whole(owner: &'a Arc<Owned>) -> Checked<Self> {
        Self::rows(&owner.0, owner, 0, None)
    }

    /// Some rows of an array, all without a number.
    fn rows(
        array: &'a CArray,
        owner: &'a Arc<Owned>,
        from: usize,
        rows: Option<usize>,
    ) -> Checked<Self> {
        let length = usize::try_from(array.length).map_err(|_| "an array has a negative length")?;
        let offset = usize::try_from(array.offset).map_err(|_| "an array has a negative offset")?;
        if array.null_count < -1 || array.null_count > array.length {
            return Err("the number of nulls is no number of rows".into());
        }
        let rows = rows.unwrap_or(length);
        if from.checked_add(rows).is_none_or(|end| end > length) {
            return Err("a column is shorter than its batch".into());
        }
        let offset = offset.checked_add(from).filter(|start| {
            start.checked_add(rows).is_some_and(|end| end < isize::MAX as usize / 64)
        });
        Ok(Self {
            array,
            owner,
            offset: offset.ok_or("an array is longer than memory")?,
            length: rows,
        })
    }

    fn has_columns(&self, count: usize) -> Checked<()> {
        let found = self.array.n_children;
        if usize::try_from(found) != Ok(count) {
            return Err(format!("a batch has {found} columns and its type {count}"));
        }
        match self.null_count()? {
            0 => Ok(()),
            _ => Err("a batch has rows that are null as a whole".into()),
        }
    }

    fn has_buffers(&self, least: i64, most: i64) -> Checked<()> {
        if (least..=most).contains(&self.array.n_buffers) {
            return Ok(());
        }
        Err(format!("an array has {} buffers, and its type {least}", self.array.n_buffers))
    }

    fn column(&self, index: usize, holds: Holds<'_>) -> Checked<Self> {
        if let Holds::Column(_) = holds {
            return Ok(*self);
        }
        let child = pointed(self.array.children, index).ok_or("its array is missing")?;
        // SAFETY: the children of an array live as long as it does, which the owner keeps.
        Self::rows(unsafe { child.as_ref() }, self.owner, self.offset, Some(self.length))
    }

    /// The start of a buffer; null if it has none.
    fn start(&self, index: usize) -> Checked<*const u8> {
        let buffers = NonNull::new(self.array.buffers).filter(|buffers| buffers.is_aligned());
        let buffers = buffers.ok_or("an array has no buffers")?;
        // SAFETY: callers stay below `n_buffers`, which `has_buffers` compared with the type.
        Ok(unsafe { buffers.add(index).read() }.cast())
    }

    /// Some elements of a buffer, in place unless they are unaligned.
    fn elements<T: Copy + Send + Sync + 'static>(
        &self,
        index: usize,
        from: usize,
        count: usize,
    ) -> Checked<Buffer<T>> {
        if count == 0 {
            return Ok(Buffer::new());
        }
        let start = self.start(index)?.cast::<T>();
        let start = NonNull::new(start.cast_mut()).ok_or("an array of some rows has no values")?;
        let bytes = from.checked_add(count).and_then(|end| end.checked_mul(size_of::<T>()));
        bytes
            .filter(|bytes| isize::try_from(*bytes).is_ok())
            .ok_or("an array is longer than memory")?;
        if start.is_aligned() {
            // SAFETY: the producer states that the buffer has these elements, and the owner keeps it.
            let start = unsafe { start.add(from) };
            let lent = Lent { start, count, _owner: Arc::clone(self.owner) };
            return Ok(Buffer::from_storage(SharedStorage::from_owner(lent)));
        }
        // SAFETY: as above, element by element.
        let copy = (from..from + count).map(|i| unsafe { start.as_ptr().add(i).read_unaligned() });
        Ok(Buffer::from(copy.collect::<Vec<T>>()))
    }

    /// The rows of a bitmap.
    fn bits(&self, index: usize) -> Checked<Bitmap> {
        if self.length == 0 {
            return Ok(Bitmap::new());
        }
        let skipped = self.offset / 8;
        let bytes = (self.offset + self.length).div_ceil(8) - skipped;
        let bytes = self.elements::<u8>(index, skipped, bytes)?;
        let storage = SharedStorage::from_owner(bytes);
        // SAFETY: the bytes are those from that of the first row to that of the last.
        Ok(unsafe { Bitmap::from_inner_unchecked(storage, self.offset % 8, self.length, None) })
    }

    /// Which rows are not null; `None` if all are.
    fn validity(&self) -> Checked<Option<Bitmap>> {
        if self.array.null_count == 0 || self.length == 0 {
            return Ok(None);
        }
        if self.array.n_buffers < 1 || self.start(0)?.is_null() {
            return match self.array.null_count {
                -1 => Ok(None),
                _ => Err("it has nulls and does not say where".into()),
            };
        }
        self.bits(0).map(|bits| (bits.unset_bits() > 0).then_some(bits))
    }

    fn null_count(&self) -> Checked<usize> {
        Ok(self.validity()?.map_or(0, |bits| bits.unset_bits()))
    }

    /// What the keys of an array point into.
    fn dictionary(&self) -> Checked<Self> {
        let dictionary = NonNull::new(self.array.dictionary).filter(|d| d.is_aligned());
        let dictionary = dictionary.ok_or("its dictionary is missing")?;
        // SAFETY: the dictionary of an array lives as long as it does, which the owner keeps.
        Self::rows(unsafe { dictionary.as_ref() }, self.owner, 0, None)
    }
}

/// Elements in memory of a producer.
struct Lent<T> {
    start: NonNull<T>,
    count: usize,
    _owner: Arc<Owned>,
}

impl<T> AsRef<[T]> for Lent<T> {
    fn as_ref(&self) -> &[T] {
        // SAFETY: the start is aligned, and the owner keeps the elements, which nobody changes.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.count) }
    }
}

// SAFETY: elements that are only read can be read from any thread; the owner can be released by any.
unsafe impl<T: Sync> Send for Lent<T> {}
