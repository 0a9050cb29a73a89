//! The tests that every device passes.

use crate::base::options::Precision;
use crate::engine::backend::DidBackend;

/// The tests of a backend and its runtime in a precision, to a tolerance, on the device that [`device`] finds.
macro_rules! on_the_device {
    ($backend:ty, $runtime:ty, $precision:expr, $tolerance:expr) => {
        #[test]
        fn kernels_agree_with_the_host() {
            let Some(device) = device() else { return };
            kernels::agree_with_the_host::<$backend>(&device, $precision.dtype(), $tolerance);
        }

        #[test]
        fn kernels_do_not_depend_on_chunks() {
            let Some(device) = device() else { return };
            kernels::do_not_depend_on_chunks::<$backend>(&device, $precision.dtype());
        }

        #[test]
        fn kernels_do_all_at_once() {
            let Some(device) = device() else { return };
            kernels::do_all_at_once::<$backend>(&device, $precision.dtype());
        }

        #[test]
        fn designs_without_covariates_agree_with_the_host() {
            let Some(device) = device() else { return };
            basis::agree_with_the_host::<$backend>(&device, $precision.dtype(), $tolerance);
        }

        #[test]
        fn designs_without_covariates_bear_terms_that_cancel() {
            let Some(device) = device() else { return };
            basis::are_formed_from_values_where_terms_cancel::<$backend>(
                &device,
                $precision.dtype(),
            );
        }

        #[test]
        fn kernels_pass_over_plans_without_columns() {
            let Some(device) = device() else { return };
            kernels::pass_over_plans_without_columns::<$backend>(&device, $precision.dtype());
        }

        #[test]
        fn slabs_hold_what_is_sent() {
            let Some(device) = device() else { return };
            kernels::hold_what_is_sent::<$backend>(&device, $precision.dtype());
        }

        #[test]
        fn lost_launches_are_missed() {
            let Some(device) = device() else { return };
            kernels::miss_lost_launches::<$runtime>(&device, $precision.dtype());
        }

        #[test]
        fn kernels_draw_the_multipliers_of_the_host() {
            let Some(device) = device() else { return };
            kernels::draw_the_multipliers_of_the_host::<$backend>(&device, $precision.dtype());
        }

        #[test]
        fn kernels_make_the_whole_from_tiles() {
            let Some(device) = device() else { return };
            kernels::make_the_whole_from_tiles::<$backend>(&device, $precision.dtype());
        }

        #[test]
        fn kernels_follow_strides() {
            let Some(device) = device() else { return };
            kernels::follow_strides::<$runtime>(&device, $precision.dtype());
        }

        #[test]
        fn kernels_bear_extreme_log_odds() {
            let Some(device) = device() else { return };
            kernels::bear_extreme_log_odds::<$backend>(&device, $precision.dtype());
        }

        #[test]
        fn fixed_effects_agree_with_the_host() {
            let Some(device) = device() else { return };
            crate::engine::demean::device_tests::agree_with_the_host::<$backend>(
                &device, $precision,
            );
        }

        #[test]
        fn fixed_effects_take_other_weights() {
            let Some(device) = device() else { return };
            crate::engine::demean::device_tests::begin_anew_with_other_weights::<$backend>(
                &device, $precision,
            );
            crate::engine::demean::device_tests::stop_as_they_should::<$backend>(
                &device, $precision,
            );
            crate::engine::demean::device_tests::take_the_steps_of_lsmr::<$backend>(
                &device, $precision,
            );
        }
    };
}
pub(super) use on_the_device;

/// The default device, or nothing where there is none and the environment variable does not require one.
pub(super) fn device<B: DidBackend>(precision: Precision, required: &str) -> Option<B::Device> {
    let device = B::Device::default();
    match B::probe(&device, precision) {
        Ok(_) => Some(device),
        Err(error) => {
            assert!(std::env::var_os(required).is_none_or(|v| v != "1"), "{error}");
            println!("skipped: {error}");
            None
        }
    }
}
