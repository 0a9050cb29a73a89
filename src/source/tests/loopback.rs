//! An engine in this process whose workers hold some segments each, and get and give nothing but bytes.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::backend::{Cpu, DidBackend};
use crate::condition::{Change, Look, LookStat, Piece, Raw};
use crate::error::{DidError, Result};
use crate::options::Precision;
use crate::panel::{Sample, Strata, StratumData};
use crate::pass::{Chunk, Seal, Segment};
use crate::source::answer::{Answer, Ledger, Merge};
use crate::source::host::HostStrata;
use crate::source::upload::{cut, upload};
use crate::source::wire::{Order, decode, digest, encode};
use crate::source::{AnyPass, AnyStat, Keep, Source, Work};

/// What happens to the answers to an order on their way back.
pub(super) type Fault = fn(Vec<Vec<u8>>) -> Vec<Vec<u8>>;

/// All answers arrive, the last first.
pub(super) fn reversed(mut messages: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    messages.reverse();
    messages
}

/// Rows of some segments.
#[derive(Default)]
struct Worker {
    raw: BTreeMap<Segment, (usize, StratumData)>,
    conditioned: BTreeMap<Segment, Chunk<Cpu>>,
}

impl Worker {
    /// Does what it is told, and answers segment by segment.
    fn obey(&mut self, message: &[u8]) -> Result<Vec<Vec<u8>>> {
        let question = digest(message);
        match decode(message)? {
            Order::Look(look) => self.look(&look, question),
            Order::Condition { change, k, precision } => {
                self.condition(&change, k, precision);
                Ok(Vec::new())
            }
            Order::Pass(pass) => self.pass(&pass, question),
        }
    }

    fn look(&self, look: &Look, question: u64) -> Result<Vec<Vec<u8>>> {
        let read = self.raw.iter().filter(|(segment, _)| look.reads(segment.stratum));
        read.map(|(segment, (first, data))| {
            let (segment, stratum) = (*segment, segment.stratum);
            let mut stat = look.none(stratum);
            look.add(
                &Piece { stratum, first: *first, data, start: 0, rows: data.rows },
                &mut stat,
            )?;
            let seal = Seal::of(&data.rank);
            encode(&Answer { question, segment, seal, stat, kept: Vec::new() })
        })
        .collect()
    }

    fn condition(&mut self, change: &Change, k: usize, precision: Precision) {
        for (segment, (_, mut data)) in std::mem::take(&mut self.raw) {
            change.apply(segment.stratum, &mut data);
            let chunk = upload(segment.stratum, data, k, precision, &Default::default());
            self.conditioned.insert(segment, chunk);
        }
    }

    fn pass(&self, pass: &AnyPass, question: u64) -> Result<Vec<Vec<u8>>> {
        let read = self.conditioned.iter().filter(|(segment, _)| pass.reads(segment.stratum));
        read.map(|(segment, chunk)| {
            let mut stat = pass.none_of(segment.stratum);
            let kept = pass.accumulate(chunk, &mut stat)?.into_iter().collect();
            let seal = Seal::of(&chunk.rank);
            encode(&Answer { question, segment: *segment, seal, stat, kept })
        })
        .collect()
    }
}

/// The driver's side: it knows which segments there are, and holds no rows.
pub(super) struct Loopback {
    workers: Vec<Mutex<Worker>>,
    ledger: Ledger,
    fault: Fault,
}

impl Loopback {
    /// Strata in segments of `length` rows, dealt out to so many workers.
    pub fn new(strata: Strata, length: usize, workers: usize, fault: Fault) -> Self {
        let HostStrata { strata, ledger, length } = HostStrata::with_segments(strata, length);
        let Strata::Resident(strata) = strata else { panic!("tests read into memory") };
        let mut dealt: Vec<Worker> = (0..workers).map(|_| Worker::default()).collect();
        for (i, (segment, seal)) in ledger.entries().iter().enumerate() {
            let first = segment.part * length;
            let data = cut(&strata[segment.stratum], first, first + seal.rows as usize);
            dealt[i % workers].raw.insert(*segment, (first, data));
        }
        Self { workers: dealt.into_iter().map(Mutex::new).collect(), ledger, fault }
    }

    /// What came back of an order, and the digest of the order.
    fn ask(&self, order: &Order) -> Result<(u64, Vec<Vec<u8>>)> {
        let message = encode(order)?;
        let mut messages = Vec::new();
        for worker in &self.workers {
            messages.extend(worker.lock().expect("one thread").obey(&message)?);
        }
        Ok((digest(&message), (self.fault)(messages)))
    }
}

impl Raw for Loopback {
    type Conditioned = Conditioned;

    fn rows(&self) -> Vec<usize> {
        self.ledger.rows()
    }

    fn answer(&self, look: &Look) -> Result<Vec<LookStat>> {
        let (question, messages) = self.ask(&Order::Look(look.clone()))?;
        let mut merge = Merge::new(&self.ledger, look, question);
        for message in messages {
            merge.add(decode::<Answer<LookStat>>(&message)?, &mut |_| {
                Err(DidError::Engine { problem: "a look keeps no rows".into() })
            })?;
        }
        merge.finish()
    }

    fn condition(self, sample: Sample, change: Change) -> Result<Conditioned> {
        let (k, precision) = (sample.design.k(), Precision::F64);
        self.ask(&Order::Condition { change, k, precision })?;
        Ok(Conditioned { engine: self, sample })
    }
}

/// The engine once the columns are changed.
pub(super) struct Conditioned {
    engine: Loopback,
    sample: Sample,
}

impl Source for Conditioned {
    fn sample(&self) -> &Sample {
        &self.sample
    }

    fn backend(&self) -> &'static str {
        Cpu::NAME
    }

    fn precision(&self) -> Precision {
        Precision::F64
    }

    fn check(&self, work: &Work<'_>) -> Result<()> {
        work.check_memory(&self.sample, self.engine.workers.len())
    }

    fn answer(&self, pass: &AnyPass, keep: &mut Keep<'_>) -> Result<AnyStat> {
        let (question, messages) = self.engine.ask(&Order::Pass(pass.clone()))?;
        let mut merge = Merge::new(&self.engine.ledger, pass, question);
        for message in messages {
            merge.add(decode(&message)?, keep)?;
        }
        merge.finish()
    }
}
