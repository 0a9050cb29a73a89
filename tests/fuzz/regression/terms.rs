//! Regressors of a random formula: its text, and the columns that R `fixest` has of it.

use crate::random::Random;

/// A table: numbers, and factors whose levels are numbers or texts.
pub struct Table {
    pub numbers: Vec<(&'static str, Vec<f64>)>,
    pub factors: Vec<(&'static str, Vec<usize>, Vec<String>)>,
}

/// A column with its name.
pub type Named = (String, Vec<f64>);

/// One regressor, or a set of dummies.
#[derive(Clone, Debug)]
pub enum Piece {
    Number(usize),
    Product(usize, usize),
    /// A factor by contrasts, or in full where it stands for a constant.
    Factor(usize),
    Indicators(Indicators),
}

/// An `i()`.
#[derive(Clone, Debug, Default)]
pub struct Indicators {
    factor: usize,
    by: By,
    reference: Vec<usize>,
    keep: Vec<usize>,
    reference_of_by: Vec<usize>,
    keep_of_by: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
enum By {
    #[default]
    Nothing,
    Number(usize),
    Factor(usize),
}

impl Table {
    fn levels(&self, factor: usize, rows: &[usize]) -> Vec<usize> {
        let mut found: Vec<usize> = rows.iter().map(|row| self.factors[factor].1[*row]).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn level(&self, factor: usize, level: usize) -> String {
        let text = &self.factors[factor].2[level];
        if text.parse::<f64>().is_ok() { text.clone() } else { format!("'{text}'") }
    }
}

impl Indicators {
    fn is_unsaid(&self) -> bool {
        [&self.reference, &self.keep, &self.reference_of_by, &self.keep_of_by]
            .iter()
            .all(|said| said.is_empty())
    }

    /// Whether its dummies add up to one if none is left out.
    fn spans(&self) -> bool {
        self.is_unsaid() && !matches!(self.by, By::Number(_))
    }

    fn random(random: &mut Random, table: &Table, rows: &[usize]) -> Self {
        let factor = random.below(table.factors.len());
        let other = (factor + 1) % table.factors.len();
        let by = match random.below(3) {
            0 => By::Nothing,
            1 => By::Number(random.below(table.numbers.len())),
            _ => By::Factor(other),
        };
        let some = |random: &mut Random, factor: usize| {
            let levels = table.levels(factor, rows);
            match random.below(4) {
                0 => vec![random.pick(&levels)],
                1 if levels.len() > 3 => levels[1..3].to_vec(),
                _ => Vec::new(),
            }
        };
        let mut out = Self { factor, by, ..Self::default() };
        match random.below(5) {
            0 => out.reference = some(random, factor),
            1 => out.keep = some(random, factor),
            2 if matches!(out.by, By::Factor(_)) => out.reference_of_by = some(random, other),
            3 if matches!(out.by, By::Factor(_)) => out.keep_of_by = some(random, other),
            _ => {}
        }
        out
    }

    fn text(&self, table: &Table) -> String {
        let mut parts = vec![table.factors[self.factor].0.to_owned()];
        let other = match self.by {
            By::Nothing => 0,
            By::Number(x) => {
                parts.push(table.numbers[x].0.to_owned());
                0
            }
            By::Factor(other) => {
                parts.push(format!("i.{}", table.factors[other].0));
                other
            }
        };
        let said = [
            ("ref", self.factor, &self.reference),
            ("keep", self.factor, &self.keep),
            ("ref2", other, &self.reference_of_by),
            ("keep2", other, &self.keep_of_by),
        ];
        for (name, factor, levels) in said {
            let texts: Vec<String> = levels.iter().map(|l| table.level(factor, *l)).collect();
            match texts.as_slice() {
                [] => {}
                [one] => parts.push(format!("{name} = {one}")),
                several => parts.push(format!("{name} = c({})", several.join(", "))),
            }
        }
        format!("i({})", parts.join(", "))
    }

    fn columns(&self, table: &Table, rows: &[usize], referenced: bool) -> Vec<Named> {
        let (name, codes, texts) = &table.factors[self.factor];
        let is = |code: bool| f64::from(u8::from(code));
        let kept = |level: usize, reference: &[usize], keep: &[usize]| {
            !reference.contains(&level) && (keep.is_empty() || keep.contains(&level))
        };
        let has = |level: usize| kept(level, &self.reference, &self.keep);
        let levels = table.levels(self.factor, rows);
        match self.by {
            By::Nothing => {
                let skip = usize::from(referenced);
                let levels = levels.into_iter().skip(skip).filter(|level| has(*level));
                let column = |level: usize| rows.iter().map(|r| is(codes[*r] == level)).collect();
                levels.map(|l| (format!("{name}::{}", texts[l]), column(l))).collect()
            }
            By::Number(x) => {
                let (by, values) = &table.numbers[x];
                let column = |level: usize| {
                    rows.iter().map(|r| is(codes[*r] == level) * values[*r]).collect()
                };
                let levels = levels.into_iter().filter(|level| has(*level));
                levels.map(|l| (format!("{name}::{}:{by}", texts[l]), column(l))).collect()
            }
            By::Factor(other) => {
                let (by, by_codes, by_texts) = &table.factors[other];
                let mut pairs: Vec<(usize, usize)> =
                    rows.iter().map(|r| (codes[*r], by_codes[*r])).collect();
                pairs.sort_unstable();
                pairs.dedup();
                let has_by = |level: usize| kept(level, &self.reference_of_by, &self.keep_of_by);
                let pairs = pairs.into_iter().skip(usize::from(referenced));
                let column = |(a, b): (usize, usize)| {
                    rows.iter().map(|r| is((codes[*r], by_codes[*r]) == (a, b))).collect()
                };
                pairs
                    .filter(|(a, b)| has(*a) && has_by(*b))
                    .map(|p| {
                        let name = format!("{name}::{}:{by}::{}", texts[p.0], by_texts[p.1]);
                        (name, column(p))
                    })
                    .collect()
            }
        }
    }
}

/// A list of pieces that differ.
pub fn pieces(random: &mut Random, table: &Table, rows: &[usize]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for _ in 0..random.between(1, 4) {
        let piece = match random.below(8) {
            0..=2 => Piece::Number(random.below(table.numbers.len())),
            3 => Piece::Product(0, 1),
            4 => Piece::Factor(random.below(table.factors.len())),
            _ => Piece::Indicators(Indicators::random(random, table, rows)),
        };
        if !pieces.iter().any(|known| format!("{known:?}") == format!("{piece:?}")) {
            pieces.push(piece);
        }
    }
    pieces
}

/// The text of a formula's right side.
pub fn text(table: &Table, pieces: &[Piece]) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Number(x) => table.numbers[*x].0.to_owned(),
        Piece::Product(a, b) => format!("{}:{}", table.numbers[*a].0, table.numbers[*b].0),
        Piece::Factor(f) => format!("C({})", table.factors[*f].0),
        Piece::Indicators(of) => of.text(table),
    };
    pieces.iter().map(text).collect::<Vec<_>>().join(" + ")
}

/// The columns in a sample's rows; `constant` says whether a constant or fixed effects span one.
pub fn columns(table: &Table, pieces: &[Piece], rows: &[usize], constant: bool) -> Vec<Named> {
    let indicators = || {
        pieces.iter().enumerate().filter_map(|(at, piece)| match piece {
            Piece::Indicators(of) => Some((at, of)),
            _ => None,
        })
    };
    let first_factor = pieces.iter().position(|piece| matches!(piece, Piece::Factor(_)));
    let spanning = indicators().find(|(_, of)| of.spans()).map(|(at, _)| at);
    let in_full = match (constant, spanning) {
        (false, Some(at)) if indicators().next().map(|(i, _)| i) == Some(at) => Some(at),
        (false, Some(at)) if first_factor.is_none() => Some(at),
        _ => None,
    };
    let mut out = Vec::new();
    let products = |piece: &Piece| matches!(piece, Piece::Product(..));
    let order = pieces.iter().enumerate().filter(|(_, p)| !products(p));
    for (at, piece) in order.chain(pieces.iter().enumerate().filter(|(_, p)| products(p))) {
        match piece {
            Piece::Number(x) => {
                let (name, values) = &table.numbers[*x];
                out.push(((*name).to_owned(), rows.iter().map(|r| values[*r]).collect()));
            }
            Piece::Product(a, b) => {
                let ((a, left), (b, right)) = (&table.numbers[*a], &table.numbers[*b]);
                let values = rows.iter().map(|r| left[*r] * right[*r]).collect();
                // Named in the order in which the numbers appear.
                let appears = |number: usize| {
                    pieces.iter().position(|p| match p {
                        Piece::Number(x) => *x == number,
                        _ => matches!(p, Piece::Product(..)),
                    })
                };
                let name =
                    if appears(1) < appears(0) { format!("{b}:{a}") } else { format!("{a}:{b}") };
                out.push((name, values));
            }
            Piece::Factor(f) => {
                let (name, codes, texts) = &table.factors[*f];
                let skip = usize::from(constant || first_factor != Some(at));
                for level in table.levels(*f, rows).into_iter().skip(skip) {
                    let is = |r: &usize| f64::from(u8::from(codes[*r] == level));
                    out.push((format!("C({name}){}", texts[level]), rows.iter().map(is).collect()));
                }
            }
            Piece::Indicators(of) => {
                out.extend(of.columns(table, rows, of.spans() && in_full != Some(at)));
            }
        }
    }
    out
}
