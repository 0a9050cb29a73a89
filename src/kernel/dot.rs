//! Sums of products over eight fixed lanes.

const LANES: usize = 8;

#[inline(always)]
fn reduce(lanes: [f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

/// `Σ a`.
#[inline(always)]
pub(super) fn sum(a: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let mut chunks = a.chunks_exact(LANES);
    for chunk in &mut chunks {
        for (l, a) in lanes.iter_mut().zip(chunk) {
            *l += a;
        }
    }
    for (l, a) in lanes.iter_mut().zip(chunks.remainder()) {
        *l += a;
    }
    reduce(lanes)
}

/// `Σ a b_j` for `N` columns at once: each element of `a` is loaded once.
#[inline(always)]
fn dots<const N: usize>(a: &[f64], b: [&[f64]; N]) -> [f64; N] {
    let mut lanes = [[0.0; LANES]; N];
    let whole = a.len() / LANES * LANES;
    for start in (0..whole).step_by(LANES) {
        let a = &a[start..start + LANES];
        for (lanes, b) in lanes.iter_mut().zip(&b) {
            let b = &b[start..start + LANES];
            for ((l, a), b) in lanes.iter_mut().zip(a).zip(b) {
                *l += a * b;
            }
        }
    }
    for (lanes, b) in lanes.iter_mut().zip(&b) {
        for ((l, a), b) in lanes.iter_mut().zip(&a[whole..]).zip(&b[whole..]) {
            *l += a * b;
        }
    }
    lanes.map(reduce)
}

/// `out_j += Σ a b_j` for every column.
#[inline(always)]
pub(super) fn accumulate_dots(a: &[f64], columns: &[&[f64]], out: &mut [f64]) {
    let n = a.len();
    let mut groups = columns.chunks_exact(4);
    let mut outs = out.chunks_exact_mut(4);
    for (b, out) in (&mut groups).zip(&mut outs) {
        let sums = dots(a, [&b[0][..n], &b[1][..n], &b[2][..n], &b[3][..n]]);
        for (o, s) in out.iter_mut().zip(sums) {
            *o += s;
        }
    }
    for (b, out) in groups.remainder().iter().zip(outs.into_remainder()) {
        let [s] = dots(a, [&b[..n]]);
        *out += s;
    }
}

/// `out += v_0 + Σ_j v_j x_j`.
#[inline(always)]
pub(super) fn accumulate_linear(v: &[f64], x: &[&[f64]], out: &mut [f64]) {
    let (constant, slopes) = (v[0], &v[1..]);
    for o in out.iter_mut() {
        *o += constant;
    }
    for (v, x) in slopes.iter().zip(x) {
        for (o, x) in out.iter_mut().zip(*x) {
            *o += v * x;
        }
    }
}
