//! From options to a sample that a source holds: reading the data, and putting the sample on devices.

use std::time::Instant;

use super::design::{SampleDesign, Shared};
use crate::base::error::{DidWarning, Result};
use crate::base::memory;
use crate::base::options::{CovariatePeriod, FixWeights, Precision};
use crate::base::progress::Progress;
use crate::engine::backend::DidBackend;
use crate::engine::cell::PlanOptions;
use crate::engine::condition::{Change, Conditioning, DoseQuery, Raw, condition};
use crate::engine::source::{HostStrata, LocalOptions, LocalStrata, RawSource, Source};
use crate::read::columns::MissingValues;
use crate::read::files::{Files, ParquetFiles, PieceFiles};
use crate::read::formula::Formula;
use crate::read::input::{Data, Read, read_files};
use crate::read::panel::{
    FormedCells, Layout, Panel, Request, Roles, Sample, SampleAudit, SampleOptions, Storage,
    Strata, ingest, ingest_parquet,
};
use crate::result::timings::Timings;

/// How an estimator's sample is formed and held.
#[derive(Clone, Debug)]
pub(crate) struct SampleSetup {
    pub roles: Roles,
    pub sample: SampleOptions,
    pub fix_weights: Option<FixWeights>,
    pub conditioning: Conditioning,
    pub drops_collinear: bool,
    pub doses: Option<DoseQuery>,
    pub missing: MissingValues,
    pub cells: FormedCells,
    pub precision: Precision,
    pub chunk_rows: Option<usize>,
    pub memory_budget: Option<u64>,
    pub progress: Option<Progress>,
}

/// A sample, and the source of its rows.
pub(crate) struct Opened {
    pub setup: SampleSetup,
    pub source: Box<dyn Source>,
    pub start: Instant,
    /// Reading and ingest.
    pub timings: Timings,
}

impl SampleSetup {
    /// From the options of an estimator.
    pub fn new(shared: &Shared<'_>, design: &SampleDesign<'_>) -> Result<Self> {
        Ok(Self {
            roles: roles(shared, design)?,
            sample: SampleOptions {
                design: design.study,
                repeated_cross_sections: shared.repeated_cross_sections.unwrap_or(false),
                allow_unbalanced: design.allow_unbalanced,
                pairs: design.pairs,
                labels: shared.keep_influence || shared.weighting.scores,
            },
            fix_weights: design.fix_weights,
            conditioning: (design.conditioning)(shared.precision),
            drops_collinear: design.drops_collinear(),
            doses: design.dose.as_ref().map(|(_, query)| query.clone()),
            missing: MissingValues::new(shared.missing_values),
            cells: design.cells,
            precision: shared.precision,
            chunk_rows: shared.chunk_rows,
            memory_budget: shared.memory_budget,
            progress: shared.progress.cloned(),
        })
    }

    /// Reads the data and puts the sample on the devices. Parquet and CSV files that would take more than the memory budget, or a
    /// fifth of the free memory, are read piece by piece.
    pub fn open<B: DidBackend>(self, data: Data<'_>, devices: &[B::Device]) -> Result<Opened> {
        let start = Instant::now();
        self.probe::<B>(devices)?;
        let (Panel { sample, strata }, read) = data.reading(&self.missing, |data| match data {
            Data::Files(files) => {
                let found = files.find()?;
                // Repeated cross sections have no units to read by.
                let in_pieces = match files.are_wanted_in_pieces() {
                    true => !self.sample.repeated_cross_sections,
                    false => self.is_too_large(&found)?,
                };
                self.panel_of_files(&found, in_pieces, start)
            }
            data => self.read_whole(data, start),
        })?;
        let raw = self.upload::<B>(strata, devices);
        self.held(sample, Box::new(raw), read, start)
    }

    fn panel_of_files(
        &self,
        files: &Files,
        in_pieces: bool,
        start: Instant,
    ) -> Result<(Panel, f64)> {
        if in_pieces {
            self.panel_by_pieces(files, start)
        } else {
            let (wanted, progress) = (self.roles.wanted(), self.progress.as_ref());
            self.arranged(read_files(files, &wanted, &self.missing, progress)?, start)
        }
    }

    /// The arranged sample in memory, as it was read, and the seconds that reading took.
    pub fn panel(&self, data: Data<'_>, start: Instant) -> Result<(Panel, f64)> {
        data.reading(&self.missing, |data| self.read_whole(data, start))
    }

    fn read_whole(&self, data: Data<'_>, start: Instant) -> Result<(Panel, f64)> {
        let (wanted, progress) = (self.roles.wanted(), self.progress.as_ref());
        self.arranged(data.read(&wanted, &self.missing, progress)?, start)
    }

    fn arranged(
        &self,
        Read { frame, files, read_as_missing }: Read,
        start: Instant,
    ) -> Result<(Panel, f64)> {
        let read = start.elapsed().as_secs_f64();
        let _span = tracing::info_span!("ingest", rows = frame.height()).entered();
        // Codes of its values, and the sample.
        let needed = 2 * frame.estimated_size() as u128;
        let remedy = "write the data to parquet, from which panels are streamed";
        memory::check("the sample while it is arranged", needed, remedy)?;
        let audit = SampleAudit { files, read_as_missing, ..SampleAudit::default() };
        Ok((ingest(&frame, audit, &self.request(Storage::Resident))?, read))
    }

    fn panel_by_pieces(&self, files: &Files, start: Instant) -> Result<(Panel, f64)> {
        let (budget, progress) = (self.memory_budget, self.progress.clone());
        let wanted = self.roles.wanted();
        let PieceFiles { sources, read: files, read_as_missing } =
            files.in_pieces(&wanted, &self.missing, budget, progress.as_ref())?;
        let audit = SampleAudit { files, read_as_missing, ..SampleAudit::default() };
        let unit = self.roles.unit.as_deref();
        let files = ParquetFiles::open(&sources, &wanted, unit, budget, progress)?;
        let read = start.elapsed().as_secs_f64();
        let _span = tracing::info_span!("ingest").entered();
        Ok((ingest_parquet(&files, audit, &self.request(Storage::Within(budget)))?, read))
    }

    pub(crate) fn request(&self, storage: Storage) -> Request<'_> {
        Request {
            roles: &self.roles,
            options: self.sample,
            fix_weights: self.fix_weights,
            changes: self.conditioning.is_of_changes(),
            cells: self.cells,
            storage,
            missing: self.missing.clone(),
        }
    }

    /// Whether files should be read piece by piece: large files of a panel.
    fn is_too_large(&self, files: &Files) -> Result<bool> {
        if self.sample.repeated_cross_sections || !files.have_pieces() {
            return Ok(false);
        }
        let columns = self.roles.wanted().names().len();
        files.are_too_large(columns, self.memory_budget)
    }

    /// Whether the devices can do the precision, before any work.
    fn probe<B: DidBackend>(&self, devices: &[B::Device]) -> Result<()> {
        devices.iter().try_for_each(|device| B::probe(device, self.precision).map(drop))
    }

    /// Puts the strata on the devices.
    fn upload<B: DidBackend>(&self, strata: Strata, devices: &[B::Device]) -> LocalStrata<B> {
        let options = LocalOptions {
            precision: self.precision,
            chunk_rows: self.chunk_rows,
            memory_budget: self.memory_budget,
            progress: self.progress.clone(),
        };
        LocalStrata::new(HostStrata::new(strata), devices, options)
    }

    /// The sample that was read, conditioned where its rows are held; `read` is the time of reading in seconds.
    pub fn held(
        self,
        mut sample: Sample,
        raw: Box<dyn RawSource>,
        read: f64,
        start: Instant,
    ) -> Result<Opened> {
        let change = self.change(&*raw, &mut sample)?;
        let source = raw.condition(sample, change)?;
        let timings = ingested(read, start);
        Ok(Opened { setup: self, source, start, timings })
    }

    /// How the columns are to be changed.
    pub fn change(&self, raw: &dyn Raw, sample: &mut Sample) -> Result<Change> {
        let Self { conditioning, drops_collinear, .. } = *self;
        let (doses, progress) = (self.doses.as_ref(), self.progress.as_ref());
        condition(raw, sample, conditioning, drops_collinear, doses, progress)
    }
}

/// First treated period of the cohort that takes the place of never-treated units, where nobody is never treated.
pub(crate) fn last_cohort(sample: &Sample) -> Option<f64> {
    sample.warnings.iter().find_map(|warning| match warning {
        DidWarning::LastCohortAsControl { group } => Some(*group),
        _ => None,
    })
}

/// The timings of a sample that is now arranged, after `read` seconds of reading.
pub(crate) fn ingested(read: f64, start: Instant) -> Timings {
    let ingest = start.elapsed().as_secs_f64() - read;
    Timings { read, ingest, ..Timings::default() }
}

/// Which column is what. In a panel the unit is the cluster without being named; where rows are independent it joins rows.
fn roles(shared: &Shared<'_>, design: &SampleDesign<'_>) -> Result<Roles> {
    let owned = |name: Option<&str>| name.map(ToOwned::to_owned);
    let beyond = |cluster: &&str| design.independent_rows || Some(*cluster) != shared.unit;
    Ok(Roles {
        outcome: shared.outcome.to_owned(),
        unit: owned(shared.unit),
        time: shared.time.to_owned(),
        group: design.group.to_owned(),
        treatment: design.treatment,
        eligible: owned(design.eligible),
        weights: owned(shared.weights),
        cluster: owned(shared.cluster.filter(beyond)),
        dose: design.dose.as_ref().map(|(dose, _)| (*dose).to_owned()),
        covariates: match &design.dose {
            Some((dose, _)) => Formula::parse(&format!("~ `{dose}`"))?,
            None => Formula::parse(shared.covariates())?,
        },
        frequency: shared.frequency,
    })
}

/// The sample's warnings and the covariates' warnings: which change over time within units, and which were dropped.
pub(crate) fn warnings(
    sample: &Sample,
    plan: &PlanOptions,
    dropped: Vec<String>,
) -> Vec<DidWarning> {
    let period = match (sample.layout, plan.covariates) {
        (Layout::Balanced, period) => period,
        (_, period) if plan.pairs => period,
        _ => CovariatePeriod::Row,
    };
    let changes = sample.design.versions > 1;
    let varying = changes.then_some(DidWarning::TimeVaryingCovariates { period });
    let collinear = (!dropped.is_empty()).then_some(DidWarning::Collinear { columns: dropped });
    sample.warnings.iter().cloned().chain(varying).chain(collinear).collect()
}
