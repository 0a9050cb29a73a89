//! What every estimator does.

use crate::base::error::Result;
use crate::read::input::Data;

/// What every estimator does, for code that works with any of them.
///
/// Estimators have these methods of their own, too, so that calling them does not need the trait; `fit_on` only those with devices.
///
/// ```
/// use burn_did::{AttGt, Data, DidError, DidMultiplegt, Estimator, backend::Cpu, data};
///
/// /// Seconds that a fit takes.
/// fn seconds<'a, E: Estimator>(estimator: &E, data: impl Into<Data<'a>>) -> Result<f64, DidError> {
///     let start = std::time::Instant::now();
///     estimator.fit(data)?;
///     Ok(start.elapsed().as_secs_f64())
/// }
///
/// let effects = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// println!("{:.2} s", seconds(&effects.group("first.treat").build(), &data::mpdta())?);
/// # Ok::<(), DidError>(())
/// ```
pub trait Estimator {
    /// What a fit gives.
    type Output;

    /// A device of its backend; `()` if it runs on the host alone.
    type Device: Default;

    /// Checks the options; the first thing a fit does.
    ///
    /// # Errors
    /// [`DidError::Config`](crate::DidError::Config) or [`DidError::Formula`](crate::DidError::Formula), naming the option.
    fn validate(&self) -> Result<()>;

    /// Estimates on the backend's default device.
    ///
    /// # Errors
    /// [`DidError`](crate::DidError) naming the option, column, unit or device at fault.
    fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<Self::Output> {
        self.fit_on(data, &Self::Device::default())
    }

    /// Estimates on this device.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    fn fit_on<'a>(&self, data: impl Into<Data<'a>>, device: &Self::Device) -> Result<Self::Output>;
}

/// Implements [`Estimator`] by an estimator's own methods: `fit_on` of one with devices, `fit` of one that runs on the host.
macro_rules! fits {
    (<$backend:ident> $estimator:ty, device: $device:ty, output: $output:ty) => {
        impl<$backend: $crate::engine::backend::DidBackend> $crate::estimator::Estimator
            for $estimator
        {
            type Output = $output;
            type Device = $device;

            fn validate(&self) -> $crate::base::error::Result<()> {
                <$estimator>::validate(self)
            }

            fn fit_on<'a>(
                &self,
                data: impl Into<$crate::Data<'a>>,
                device: &Self::Device,
            ) -> $crate::base::error::Result<Self::Output> {
                <$estimator>::fit_on(self, data, device)
            }
        }
    };
    ($estimator:ty, output: $output:ty) => {
        impl $crate::estimator::Estimator for $estimator {
            type Output = $output;
            type Device = ();

            fn validate(&self) -> $crate::base::error::Result<()> {
                <$estimator>::validate(self)
            }

            fn fit_on<'a>(
                &self,
                data: impl Into<$crate::Data<'a>>,
                (): &Self::Device,
            ) -> $crate::base::error::Result<Self::Output> {
                <$estimator>::fit(self, data)
            }
        }
    };
}

pub(crate) use fits;
