use proptest::prelude::*;

use super::*;

fn sum(numbers: &[f64]) -> ExactSum {
    let mut sum = ExactSum::default();
    for number in numbers {
        sum.add(*number);
    }
    sum
}

fn bits(numbers: &[f64]) -> u64 {
    sum(numbers).value().to_bits()
}

/// Numbers of all sizes, most of them near 1, and some that nearly cancel.
fn numbers() -> impl Strategy<Value = Vec<f64>> {
    let usual = (-8.0..8.0_f64).boxed();
    let any = prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO;
    let large = (-1e300..1e300_f64).boxed();
    let one = prop_oneof![6 => usual, 2 => any.boxed(), 1 => large];
    prop::collection::vec(one, 0..60)
}

#[test]
fn sums_are_rounded_once() {
    assert_eq!(sum(&[]).value().to_bits(), 0.0_f64.to_bits());
    assert_eq!(sum(&[-0.0, 0.0]).value().to_bits(), 0.0_f64.to_bits());
    assert_eq!(sum(&[1e300, 1.0, -1e300]).value(), 1.0);
    assert_eq!(sum(&[0.1; 10]).value(), 1.0);
    assert_eq!(sum(&[f64::MIN_POSITIVE, -f64::MIN_POSITIVE, 5e-324]).value(), 5e-324);
    // Half of the last bit, and a little more than that.
    let half = f64::EPSILON / 2.0;
    assert_eq!(sum(&[1.0, half]).value(), 1.0);
    assert_eq!(sum(&[1.0, half, 1e-300]).value(), 1.0 + f64::EPSILON);
    assert_eq!(sum(&[-1.0, -half, -1e-300]).value(), -1.0 - f64::EPSILON);
    assert_eq!(sum(&[1.0 + f64::EPSILON, half]).value(), 1.0 + 2.0 * f64::EPSILON);
    assert_eq!(sum(&[f64::MAX, f64::MAX]).value(), f64::INFINITY);
    assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX]).value(), f64::MAX);
    assert_eq!(sum(&[1.0; 100_000]).value(), 100_000.0);
    assert_eq!(
        sum(&[f64::MAX / 2.0_f64.powi(40); 70_000]).value(),
        70_000.0 * (f64::MAX / 2.0_f64.powi(40))
    );
}

#[test]
fn what_is_no_number_stays_that() {
    let (infinite, none) = (f64::INFINITY, f64::NAN);
    assert_eq!(sum(&[1.0, infinite]).value(), infinite);
    assert_eq!(sum(&[-infinite, 1e300, 2.0]).value(), -infinite);
    assert!(sum(&[infinite, -infinite]).value().is_nan());
    assert!(sum(&[none, 1.0]).value().is_nan());
    let mut both = sum(&[infinite]);
    both.merge(&sum(&[2.0]));
    assert_eq!(both.value(), infinite);
}

#[test]
fn forms_that_are_none_are_refused() {
    let form = |is_negative, first: u16, digits: Vec<u32>, special: u8| {
        postcard::to_allocvec(&(is_negative, first, digits, special)).unwrap()
    };
    let read = |bytes: &[u8]| postcard::from_bytes::<ExactSum>(bytes);
    assert_eq!(read(&form(false, 33, vec![1 << 18], 0)).unwrap().value(), 1.0);
    assert!(read(&form(false, 66, vec![1, 1, 1], 0)).is_err());
    assert!(read(&form(false, u16::MAX, vec![1], 0)).is_err());
    assert!(read(&form(false, 3, vec![1, 0], 0)).is_err());
    assert!(read(&form(true, 0, vec![], 0)).is_err());
    assert!(read(&form(false, 0, vec![], 8)).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_numbers_does_not_matter(of in numbers(), turn in any::<prop::sample::Index>()) {
        let expected = bits(&of);
        let mut other = of.clone();
        other.reverse();
        prop_assert_eq!(bits(&other), expected);
        other.sort_by(f64::total_cmp);
        prop_assert_eq!(bits(&other), expected);
        if !other.is_empty() {
            let at = turn.index(other.len());
            other.rotate_left(at);
        }
        prop_assert_eq!(bits(&other), expected);
        prop_assert_eq!(sum(&of), sum(&other));
    }

    #[test]
    fn parts_add_up_to_the_whole(of in numbers(), parts in 1usize..7, through_bytes in any::<bool>()) {
        let mut all = ExactSum::default();
        for part in of.chunks(of.len().div_ceil(parts).max(1)) {
            let part = sum(part);
            let bytes = postcard::to_allocvec(&part).unwrap();
            all.merge(&if through_bytes { postcard::from_bytes(&bytes).unwrap() } else { part });
        }
        prop_assert_eq!(all.value().to_bits(), bits(&of));
        prop_assert_eq!(&all, &sum(&of));
        // What comes after is added, too.
        let (mut one, mut other) = (all, sum(&of));
        one.add(0.3);
        other.add(0.3);
        prop_assert_eq!(one, other);
    }

    /// Beside whole numbers, of which the exact sum is known.
    #[test]
    fn whole_numbers_add_up(of in prop::collection::vec(-(1i64 << 53)..(1i64 << 53), 0..80), power in -900i32..900) {
        let scale = 2.0_f64.powi(power);
        let scaled: Vec<f64> = of.iter().map(|whole| *whole as f64 * scale).collect();
        let expected: i128 = of.iter().map(|whole| i128::from(*whole)).sum();
        prop_assert_eq!(sum(&scaled).value(), expected as f64 * scale);
    }

    /// A number and all others, of which it takes what it adds.
    #[test]
    fn what_cancels_is_gone(of in numbers(), one in -1e3..1e3_f64) {
        let mut all = sum(&of);
        all.add(one);
        of.iter().rev().for_each(|number| all.add(-number));
        prop_assert_eq!(all.value().to_bits(), bits(&[one]));
    }
}
