//! The data as one frame or many, which are all looked at by the same code.

use std::cell::OnceCell;

use polars::prelude::DataFrame;

use super::additive::Additive;
use super::changes::Changes;
use super::frame::{Frame, Placed, read};
use super::frame_source::FrameSource;
use super::grid::Grid;
use super::levels::Levels;
use super::request::Request;
use super::rules::Rules;
use super::survey::Survey;
use crate::base::error::Result;
use crate::read::files::parquet::ParquetFiles;

/// Frames in ascending order of the units' labels.
pub(super) enum Frames<'a> {
    /// All data, read once and placed once.
    Whole { frame: Box<Frame>, grids: OnceCell<Vec<Grid>> },
    /// Pieces of files, which are read and placed again for every look, so that one at a time is in memory.
    Files(&'a ParquetFiles),
}

impl<'a> Frames<'a> {
    /// All data as one frame.
    pub fn whole(df: &DataFrame, request: &Request<'_>) -> Result<Self> {
        let frame = Box::new(Frame::new(df, request.reader())?);
        Ok(Self::Whole { frame, grids: OnceCell::new() })
    }

    /// Calls `visit` with every frame's rows in their places under the sample's rules, which are the same in all visits.
    pub fn each(
        &self,
        rules: &Rules,
        request: &Request<'_>,
        visit: &mut dyn FnMut(Placed<'_>) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Whole { frame, grids } => {
                let grids = grids.get_or_init(|| frame.place(rules));
                visit(Placed { rows: &frame.rows, grids })
            }
            Self::Files(files) => files.each("arranging", &mut |df| {
                let frame = Frame::new(df, request.reader())?;
                visit(Placed { rows: &frame.rows, grids: &frame.place(rules) })
            }),
        }
    }

    /// What all frames show together of their rows in the sample.
    fn look<L: Additive>(
        &self,
        rules: &Rules,
        request: &Request<'_>,
        find: impl Fn(Placed<'_>) -> Result<L>,
    ) -> Result<L> {
        let mut all = L::default();
        self.each(rules, request, &mut |placed| all.merge(find(placed)?))?;
        Ok(all)
    }
}

impl FrameSource for Frames<'_> {
    fn survey(&self, request: &Request<'_>) -> Result<Survey> {
        let files = match self {
            Self::Whole { frame, .. } => return Ok(Survey::of(frame)),
            Self::Files(files) => files,
        };
        let mut survey = Survey::default();
        let read = files.each("reading", &mut |df| {
            survey.merge(Survey::of(&Frame::new(df, request.reader())?))?;
            survey.check_values(request.roles)
        });
        read.map_err(|error| {
            let again =
                |df: &DataFrame, first_row| self::read(df, request.reader(), first_row).map(drop);
            files.located(error, &again)
        })?;
        Ok(survey)
    }

    fn levels(&self, rules: &Rules, request: &Request<'_>) -> Result<Levels> {
        self.look(rules, request, |placed| Ok(Levels::of(placed)))
    }

    fn changes(&self, rules: &Rules, levels: &Levels, request: &Request<'_>) -> Result<Changes> {
        let find = |placed: Placed<'_>| Changes::of(placed, &levels.factors, rules.layout);
        self.look(rules, request, find)
    }
}
