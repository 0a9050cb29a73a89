//! The field's teaching data: what they are, and their frames. `README.md` beside them has source, licence and digest of each file.

mod columns;
mod frames;

use polars::prelude::DataFrame;

pub use columns::TeachingColumn;

use crate::base::error::Result;
use crate::base::words::words;
use crate::read::files::{FileFormat, output};

words! {
    /// Data that the field teaches difference-in-differences with.
    ///
    /// ```
    /// use burn_did::data::Teaching;
    ///
    /// let frame = Teaching::Castle.frame();
    /// assert_eq!(frame.height(), 550);
    /// assert_eq!(frame.width(), Teaching::Castle.columns().len());
    /// println!("{}", Teaching::Castle);
    /// ```
    pub enum Teaching: "data" {
        /// County teen employment and the minimum wage, 2003 to 2007 (Callaway and Sant'Anna 2021).
        Mpdta = "mpdta",
        /// Adult mortality and the expansion of Medicaid in US counties, 2009 to 2019 (Baker et al., A Practitioner's Guide).
        Medicaid = "medicaid",
        /// Crime and castle-doctrine laws in US states, 2000 to 2010 (Cheng and Hoekstra 2013).
        Castle = "castle",
        /// Earnings before and after the National Supported Work program, with its experimental controls and those of the CPS (Dehejia and
        /// Wahba 1999).
        Nsw = "nsw",
        /// Bank loans and branching deregulation in US counties, 1994 to 2005 (Favara and Imbs 2015).
        FavaraImbs = "favara_imbs",
    }
}

impl Teaching {
    /// All of it.
    pub const ALL: [Self; 5] =
        [Self::Mpdta, Self::Medicaid, Self::Castle, Self::Nsw, Self::FavaraImbs];

    /// The data in long form.
    #[must_use]
    pub fn frame(self) -> DataFrame {
        match self {
            Self::Mpdta => super::mpdta::mpdta(),
            Self::Medicaid => frames::medicaid(),
            Self::Castle => frames::castle(),
            Self::Nsw => frames::nsw(),
            Self::FavaraImbs => frames::favara_imbs(),
        }
    }

    /// What the columns are, in their order.
    #[must_use]
    pub fn columns(self) -> &'static [TeachingColumn] {
        match self {
            Self::Mpdta => &columns::MPDTA,
            Self::Medicaid => &columns::MEDICAID,
            Self::Castle => &columns::CASTLE,
            Self::Nsw => &columns::NSW,
            Self::FavaraImbs => &columns::FAVARA_IMBS,
        }
    }

    /// Where the data are from, and under which licence they are distributed.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::Mpdta => {
                "Callaway and Sant'Anna (2021), Difference-in-differences with multiple time periods, Journal of Econometrics 225(2), 200-230: \
                 `mpdta` of the R package did, as moderndid 0.2.0 distributes it under the MIT licence"
            }
            Self::Medicaid => {
                "Baker, Callaway, Cunningham, Goodman-Bacon and Sant'Anna, Difference-in-Differences Designs: A Practitioner's Guide: public \
                 data of the United States (deaths of CDC, unemployment of BLS, poverty and income of Census SAIPE) and expansion dates of KFF"
            }
            Self::Castle => {
                "Cheng and Hoekstra (2013), Does strengthening self-defense law deter crime or escalate violence?, Journal of Human Resources \
                 48(3), 821-854: crimes of the FBI's Uniform Crime Reports, as causaldata 0.1.5 distributes them under the MIT licence"
            }
            Self::Nsw => {
                "LaLonde (1986), Evaluating the econometric evaluations of training programs, American Economic Review 76(4), 604-620, and \
                 Dehejia and Wahba (1999), Journal of the American Statistical Association 94(448), 1053-1062: `nsw_mixtape` and `cps_mixtape` \
                 as causaldata 0.1.5 distributes them under the MIT licence"
            }
            Self::FavaraImbs => {
                "Favara and Imbs (2015), Credit supply and the price of housing, American Economic Review 105(3), 958-992: `favara_imbs` as \
                 the R package DIDmultiplegtDYN distributes it under the MIT licence"
            }
        }
    }

    /// A command that estimates with the data, with `DATA` for the file.
    #[must_use]
    pub fn example(self) -> &'static str {
        match self {
            Self::Mpdta => {
                "burn-did att-gt DATA --yname lemp --tname year --idname countyreal --gname first.treat --xformla '~ lpop' --aggregate dynamic"
            }
            Self::Medicaid => {
                "burn-did att-gt DATA --yname crude_rate_20_64 --tname year --idname county_code --gname treat_year --weightsname set_wt \
                 --control-group not_yet_treated --base-period universal --aggregate dynamic:min_e=-5,max_e=5"
            }
            Self::Castle => {
                "burn-did att-gt DATA --yname l_homicide --tname year --idname sid --gname treat_year --weightsname popwt \
                 --control-group not_yet_treated --aggregate dynamic"
            }
            Self::Nsw => {
                "burn-did drdid DATA --yname re --tname year --idname id --treatname treat --xformla '~ age + educ + black + hisp + marr + nodegree + re74'"
            }
            Self::FavaraImbs => {
                "burn-did did-multiplegt DATA --yname Dl_vloans_b --tname year --idname county --dname inter_bra --clustervars state_n \
                 --weightsname w1 --effects 8 --placebo 3"
            }
        }
    }

    /// Name, rows, source, columns and a command, as text.
    #[must_use]
    pub fn description(self) -> String {
        let width = self.columns().iter().map(|column| column.name.len()).max().unwrap_or(0);
        let columns: String = self
            .columns()
            .iter()
            .map(|column| format!("  {:width$}  {}\n", column.name, column.what))
            .collect();
        let rows = self.frame().height();
        format!(
            "{self}: {}\nRows: {rows}\nSource: {}\nColumns:\n{columns}To estimate: {}\n",
            self.help(),
            self.source(),
            self.example()
        )
    }

    /// What the data are.
    #[must_use]
    pub fn help(self) -> &'static str {
        use crate::base::words::Words;
        Self::WORDS.iter().find(|entry| entry.value == self).map_or("", |entry| entry.help)
    }

    /// Writes the data to a `.parquet` or `.csv` file, which takes the place of what was there when it is complete.
    ///
    /// # Errors
    /// [`DidError::Config`](crate::DidError::Config) for another ending, [`DidError::Io`](crate::DidError::Io) if the file cannot be written.
    pub fn write(self, path: impl AsRef<std::path::Path>) -> Result<()> {
        let path = path.as_ref();
        let format = FileFormat::to_write("path", path)?;
        let frame = self.frame();
        output::write(path, format, |sink| {
            sink(Some(&frame))?;
            sink(None)
        })
    }
}

#[cfg(test)]
mod tests;
