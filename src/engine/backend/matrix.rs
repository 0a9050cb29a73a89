//! Matrices of floats on a device: the tensor operations that passes need.
//!
//! `Tensor` asks of every operand whether it is quantised, so that each of its operations brings those on quantised numbers along,
//! for all types: half of what the compiler would translate. These are a backend's float operations and nothing else.

use std::ops::{Add, Div, Mul, Range, Sub};

use burn::tensor::backend::Backend;
use burn::tensor::ops::{BoolTensor, FloatTensor, IntTensor};
use burn::tensor::{
    DType, Scalar, Shape, Slice, Tensor, TensorData, TensorMetadata, TensorPrimitive,
    get_device_settings, try_read_sync,
};

use crate::base::error::{DidError, Result};
use crate::engine::pass::Chunk;

/// A matrix `[rows, columns]`; cloning copies nothing.
#[derive(Clone)]
pub(crate) struct Matrix<B: Backend>(FloatTensor<B>);

/// Marks the entries of a matrix that satisfy a condition.
pub(super) struct Mask<B: Backend>(BoolTensor<B>);

/// Numbers of rows.
#[derive(Clone)]
pub(super) struct RowNumbers<B: Backend>(IntTensor<B>);

impl<B: Backend> RowNumbers<B> {
    pub(super) fn upload(rows: impl IntoIterator<Item = u32>, device: &B::Device) -> Self {
        let rows: Vec<i64> = rows.into_iter().map(i64::from).collect();
        let length = rows.len();
        let data = TensorData::new(rows, [length]).convert::<B::IntElem>();
        Self(B::int_from_data(data, device))
    }
}

impl<B: Backend> Matrix<B> {
    /// Puts host numbers, row-major, on a device.
    pub fn upload(data: Vec<f64>, shape: [usize; 2], device: &B::Device, dtype: DType) -> Self {
        let data = TensorData::new(data, shape).convert_dtype(dtype);
        Self(B::float_from_data(data, device))
    }

    /// Puts host numbers on the device and in the precision of this matrix.
    pub fn upload_like(&self, data: Vec<f64>, shape: [usize; 2]) -> Self {
        Self::upload(data, shape, &self.device(), self.dtype())
    }

    /// Reads the numbers, row-major.
    ///
    /// # Errors
    /// [`DidError::Device`].
    pub fn download(self) -> Result<Vec<f64>> {
        let device = format!("{:?}", self.device());
        let failed = |problem: String| DidError::Device { device: device.clone(), problem };
        let data = match try_read_sync(B::float_into_data(self.0)) {
            Some(data) => data.map_err(|e| failed(format!("reading results: {e}")))?,
            None => return Err(failed("reading results: the device cannot be waited for".into())),
        };
        data.convert_dtype(DType::F64)
            .into_vec::<f64>()
            .map_err(|e| failed(format!("reading results: {e:?}")))
    }

    pub fn device(&self) -> B::Device {
        B::float_device(&self.0)
    }

    pub fn dtype(&self) -> DType {
        self.0.dtype()
    }

    pub fn dims(&self) -> [usize; 2] {
        self.0.shape().dims()
    }

    pub fn zeros_like(&self) -> Self {
        Self(B::float_zeros(self.0.shape(), &self.device(), self.dtype().into()))
    }

    pub fn ones_like(&self) -> Self {
        Self(B::float_ones(self.0.shape(), &self.device(), self.dtype().into()))
    }

    pub(super) fn zeros(&self, shape: [usize; 2]) -> Self {
        Self(B::float_zeros(Shape::from(shape), &self.device(), self.dtype().into()))
    }

    /// These rows, one below another.
    pub(super) fn select(&self, rows: &RowNumbers<B>) -> Self {
        Self(B::float_select(self.0.clone(), 0, rows.0.clone()))
    }

    /// Adds other rows to these rows, one after another.
    pub(super) fn add_rows(self, rows: &RowNumbers<B>, values: Self) -> Self {
        Self(B::float_select_add(self.0, 0, rows.0.clone(), values.0))
    }

    /// Sums by column, `[1, columns]`.
    pub(super) fn sum_rows(self) -> Self {
        Self(B::float_sum_dim(self.0, 0))
    }

    /// The sum of all entries.
    ///
    /// # Errors
    /// As [`download`](Self::download).
    pub(super) fn total(self) -> Result<f64> {
        Ok(Self(B::float_sum(self.0)).download()?.iter().sum())
    }

    /// The rows and columns in these ranges.
    pub fn slice(self, ranges: [Range<usize>; 2]) -> Self {
        Self(B::float_slice(self.0, &ranges.map(Slice::from)))
    }

    /// The matrices below one another.
    pub fn stack(matrices: Vec<Self>) -> Self {
        Self(B::float_cat(matrices.into_iter().map(|m| m.0).collect(), 0))
    }

    pub fn transpose(self) -> Self {
        Self(B::float_transpose(self.0))
    }

    pub fn matmul(self, other: Self) -> Self {
        Self(B::float_matmul(self.0, other.0))
    }

    pub fn exp(self) -> Self {
        Self(B::float_exp(self.0))
    }

    pub fn sqrt(self) -> Self {
        Self(B::float_sqrt(self.0))
    }

    pub fn neg(self) -> Self {
        Self(B::float_neg(self.0))
    }

    pub fn add_scalar(self, value: f64) -> Self {
        Self(B::float_add_scalar(self.0, Scalar::Float(value)))
    }

    pub fn sub_scalar(self, value: f64) -> Self {
        Self(B::float_sub_scalar(self.0, Scalar::Float(value)))
    }

    pub fn mul_scalar(self, value: f64) -> Self {
        Self(B::float_mul_scalar(self.0, Scalar::Float(value)))
    }

    pub fn clamp(self, min: f64, max: f64) -> Self {
        Self(B::float_clamp(self.0, Scalar::Float(min), Scalar::Float(max)))
    }

    pub fn clamp_max(self, max: f64) -> Self {
        Self(B::float_clamp_max(self.0, Scalar::Float(max)))
    }

    pub(super) fn greater_equal_elem(self, value: f64) -> Mask<B> {
        let dtype = get_device_settings::<B>(&self.device()).bool_dtype;
        Mask(B::float_greater_equal_elem(self.0, Scalar::Float(value), dtype))
    }

    pub(super) fn lower_equal_elem(self, value: f64) -> Mask<B> {
        let dtype = get_device_settings::<B>(&self.device()).bool_dtype;
        Mask(B::float_lower_equal_elem(self.0, Scalar::Float(value), dtype))
    }

    pub(super) fn greater_elem(self, value: f64) -> Mask<B> {
        let dtype = get_device_settings::<B>(&self.device()).bool_dtype;
        Mask(B::float_greater_elem(self.0, Scalar::Float(value), dtype))
    }

    /// A value in place of the masked entries.
    pub(super) fn mask_fill(self, mask: Mask<B>, value: f64) -> Self {
        Self(B::float_mask_fill(self.0, mask.0, Scalar::Float(value)))
    }

    /// The largest entry, alone.
    pub fn max(self) -> Self {
        Self(B::float_max(self.0))
    }
}

macro_rules! by_entries {
    ($($operator:ident, $method:ident, $operation:ident;)*) => {$(
        impl<B: Backend> $operator for Matrix<B> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                Self(B::$operation(self.0, other.0))
            }
        }
    )*};
}

by_entries! {
    Add, add, float_add;
    Sub, sub, float_sub;
    Mul, mul, float_mul;
    Div, div, float_div;
}

impl<B: Backend> From<&Tensor<B, 2>> for Matrix<B> {
    fn from(tensor: &Tensor<B, 2>) -> Self {
        Self(tensor.clone().into_primitive().tensor())
    }
}

impl<B: Backend> From<Matrix<B>> for Tensor<B, 2> {
    fn from(matrix: Matrix<B>) -> Self {
        Self::from_primitive(TensorPrimitive::Float(matrix.0))
    }
}

impl<B: Backend> Chunk<B> {
    /// The chunk in tensors of its own.
    #[must_use]
    pub fn alone(&self) -> Self {
        if self.slab.is_none() && self.first == 0 && self.y.dims()[1] == self.rows {
            return self.clone();
        }
        let cut = |t: &Tensor<B, 2>| {
            let rows = self.first..self.first + self.rows;
            Matrix::from(t).slice([0..t.dims()[0], rows]).into()
        };
        Self {
            first: 0,
            y: cut(&self.y),
            x: self.x.as_ref().map(cut),
            w: self.w.as_ref().map(cut),
            slab: None,
            ..self.clone()
        }
    }
}
