//! Linear predictors.

/// `out = v_0 + Σ_j v_j x_j`, four columns at a time.
#[inline(always)]
pub(super) fn linear(v: &[f64], x: &[&[f64]], out: &mut [f64]) {
    let n = out.len();
    out.fill(v[0]);
    let (mut slopes, mut columns) = (v[1..].chunks_exact(4), x.chunks_exact(4));
    for (v, x) in (&mut slopes).zip(&mut columns) {
        let (a, b, c, d) = (&x[0][..n], &x[1][..n], &x[2][..n], &x[3][..n]);
        for i in 0..n {
            out[i] += (v[0] * a[i] + v[1] * b[i]) + (v[2] * c[i] + v[3] * d[i]);
        }
    }
    for (v, x) in slopes.remainder().iter().zip(columns.remainder()) {
        for (o, x) in out.iter_mut().zip(*x) {
            *o += v * x;
        }
    }
}
