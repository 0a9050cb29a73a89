//! The data generator of the oracle cases, reproducible in any language.

use polars::prelude::{DataFrame, df};

/// SplitMix64 (Steele, Lea and Flood 2014).
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform on [0, 1), a multiple of 2⁻⁵³.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * 2f64.powi(-53)
    }

    /// Sum of four uniforms minus 2: bell-shaped with variance 1/3.
    pub fn bell(&mut self) -> f64 {
        self.uniform() + self.uniform() + self.uniform() + self.uniform() - 2.0
    }
}

/// Panel of `n` units and six periods with columns `id, t, g, x1, x2t, w, wt, cl, y, keep`.
///
/// `x2t` and `wt` vary over time; rows with `keep = 0` are the ones that the unbalanced data sets leave out.
pub fn panel(seed: u64, n: i64, cohorts: [i64; 4]) -> DataFrame {
    let mut r = SplitMix64(seed);
    let (mut id, mut time, mut group, mut cluster, mut keep) =
        (vec![], vec![], vec![], vec![], vec![]);
    let (mut x1s, mut x2s, mut ws, mut wts, mut ys) = (vec![], vec![], vec![], vec![], vec![]);
    for i in 1..=n {
        let g = cohorts[((r.uniform() * 4.0) as usize).min(3)];
        let (x1, x2, a) = (r.bell(), r.bell(), r.bell());
        let w = 0.5 + 1.5 * r.uniform();
        let u = r.uniform();
        for t in 1..=6i64 {
            let e = r.bell();
            let wt = 0.5 + 1.5 * r.uniform();
            let kp = r.uniform();
            let tf = t as f64;
            let effect = if g > 0 && t >= g { 1.0 + 0.5 * (t - g) as f64 } else { 0.0 };
            let steeper = if g == 3 { 0.3 * x1 * tf } else { 0.0 };
            id.push(i);
            time.push(t);
            group.push(g);
            x1s.push(x1);
            x2s.push(x2 + 0.05 * tf * e);
            ws.push(w);
            wts.push(wt);
            cluster.push((30.0 * u * u) as i64);
            ys.push(a + 0.3 * tf + x1 * 0.2 * tf + 0.1 * tf * x2 * x2 + effect + e + steeper);
            keep.push(i64::from(kp < 0.9));
        }
    }
    df!("id" => id, "t" => time, "g" => group, "x1" => x1s, "x2t" => x2s, "w" => ws, "wt" => wts,
        "cl" => cluster, "y" => ys, "keep" => keep)
    .expect("columns have one length")
}
