//! Arrays of polars in the memory of a producer, by the type of their column.

use polars::prelude::ArrayRef;
use polars_arrow::array::{BooleanArray, PrimitiveArray, Utf8Array, Utf8ViewArray, View};
use polars_arrow::datatypes::ArrowDataType;
use polars_arrow::offset::{Offset, OffsetsBuffer};
use polars_arrow::types::{NativeType, i256};
use polars_buffer::Buffer;
use polars_utils::float16::pf16;

use super::{Checked, Part};
use crate::arrow_type::{Fixed, Kind};
use crate::categories::Shared;

impl Part<'_> {
    fn primitive<T: NativeType>(&self, dtype: ArrowDataType) -> Checked<ArrayRef> {
        self.has_buffers(2, 2)?;
        let values = self.elements::<T>(1, self.offset, self.length)?;
        boxed(PrimitiveArray::try_new(dtype, values, self.validity()?))
    }

    fn texts<O: Offset>(&self, dtype: ArrowDataType) -> Checked<ArrayRef> {
        self.has_buffers(3, 3)?;
        if self.length == 0 {
            return Ok(Box::new(Utf8Array::<O>::new_empty(dtype)));
        }
        let offsets = self.elements::<O>(1, self.offset, self.length + 1)?;
        let offsets = OffsetsBuffer::try_from(offsets).map_err(|error| error.to_string())?;
        let bytes = self.elements::<u8>(2, 0, offsets.last().to_usize())?;
        boxed(Utf8Array::<O>::try_new(dtype, offsets, bytes, self.validity()?))
    }

    fn text_views(&self) -> Checked<ArrayRef> {
        self.has_buffers(3, i64::MAX)?;
        let views = self.elements::<View>(1, self.offset, self.length)?;
        let count = usize::try_from(self.array.n_buffers).unwrap_or(2).saturating_sub(3);
        let sizes = self.elements::<i64>(count + 2, 0, count)?;
        let bytes = sizes.iter().enumerate().map(|(i, size)| {
            let size = usize::try_from(*size).map_err(|_| "a buffer has a negative size")?;
            self.elements::<u8>(i + 2, 0, size)
        });
        let bytes = bytes.collect::<Checked<Vec<_>>>()?;
        boxed(Utf8ViewArray::try_new(
            ArrowDataType::Utf8View,
            views,
            Buffer::from(bytes),
            self.validity()?,
        ))
    }

    /// The values of a column, or codes of the categories that its batches share.
    pub fn array(&self, kind: &Kind, is_factor: bool, shared: &mut Shared) -> Checked<ArrayRef> {
        match kind {
            Kind::Null => Ok(polars_arrow::array::new_null_array(ArrowDataType::Null, self.length)),
            Kind::Boolean => {
                self.has_buffers(2, 2)?;
                boxed(BooleanArray::try_new(
                    ArrowDataType::Boolean,
                    self.bits(1)?,
                    self.validity()?,
                ))
            }
            Kind::Fixed(fixed, dtype) => self.fixed(*fixed, dtype.clone()),
            Kind::Text => self.texts::<i32>(ArrowDataType::Utf8),
            Kind::LargeText => self.texts::<i64>(ArrowDataType::LargeUtf8),
            Kind::TextView => self.text_views(),
            Kind::Dictionary { keys, key_type, values, ordered } => {
                let keys = self.fixed(*keys, key_type.clone())?;
                let values = self.dictionary()?.array(values, false, &mut Shared::default())?;
                shared.batch(keys, values, (*ordered, is_factor))
            }
            Kind::Other(format) => Err(format!("the Arrow type `{format}` is not read")),
        }
    }

    fn fixed(&self, fixed: Fixed, dtype: ArrowDataType) -> Checked<ArrayRef> {
        match fixed {
            Fixed::I8 => self.primitive::<i8>(dtype),
            Fixed::I16 => self.primitive::<i16>(dtype),
            Fixed::I32 => self.primitive::<i32>(dtype),
            Fixed::I64 => self.primitive::<i64>(dtype),
            Fixed::I128 => self.primitive::<i128>(dtype),
            Fixed::I256 => self.primitive::<i256>(dtype),
            Fixed::U8 => self.primitive::<u8>(dtype),
            Fixed::U16 => self.primitive::<u16>(dtype),
            Fixed::U32 => self.primitive::<u32>(dtype),
            Fixed::U64 => self.primitive::<u64>(dtype),
            Fixed::F16 => self.primitive::<pf16>(dtype),
            Fixed::F32 => self.primitive::<f32>(dtype),
            Fixed::F64 => self.primitive::<f64>(dtype),
        }
    }
}

fn boxed<A: polars_arrow::array::Array>(
    array: Result<A, polars::error::PolarsError>,
) -> Checked<ArrayRef> {
    array.map(|array| Box::new(array) as ArrayRef).map_err(|error| error.to_string())
}
