//! What the columns are.

/// A column of teaching data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TeachingColumn {
    /// Its name.
    pub name: &'static str,
    /// What it is, with its unit.
    pub what: &'static str,
}

const fn column(name: &'static str, what: &'static str) -> TeachingColumn {
    TeachingColumn { name, what }
}

pub(super) const MPDTA: [TeachingColumn; 6] = [
    column("year", "Year"),
    column("countyreal", "County: the unit"),
    column("lpop", "Log of the population in thousands"),
    column("lemp", "Log of teen employment: the outcome"),
    column("first.treat", "Year in which the state raised its minimum wage; 0 for never"),
    column("treat", "1 for counties that are ever treated"),
];

pub(super) const MEDICAID: [TeachingColumn; 13] = [
    column("county_code", "County, as FIPS code: the unit"),
    column("st", "State"),
    column("year", "Year"),
    column("treat_year", "Year in which the state expanded Medicaid; 0 for none by 2019"),
    column("set_wt", "Adults of 20 to 64 years in 2013: the weight"),
    column("population_20_64", "Adults of 20 to 64 years"),
    column("crude_rate_20_64", "Deaths per 100,000 adults of 20 to 64 years: the outcome"),
    column("perc_female", "Share of women, in percent"),
    column("perc_white", "Share of white adults, in percent"),
    column("perc_hispanic", "Share of Hispanic adults, in percent"),
    column("unemp_rate", "Unemployment rate, in percent"),
    column("poverty_rate", "Poverty rate, in percent; of 2018 it is that of 2017"),
    column("median_income", "Median income, in thousand dollars; of 2018 it is that of 2017"),
];

pub(super) const CASTLE: [TeachingColumn; 30] = [
    column("year", "Year"),
    column(
        "sid",
        "State, numbered by alphabet with 9 for the District of Columbia, which is left out: the unit",
    ),
    column(
        "treat_year",
        "Year in which the law took effect, the one before `post` is first 1; 0 for none by 2010",
    ),
    column("post", "1 for the full years under the law"),
    column("homicide", "Homicides per 100,000 people"),
    column("robbery", "Robberies per 100,000 people"),
    column("assault", "Aggravated assaults per 100,000 people"),
    column("burglary", "Burglaries per 100,000 people"),
    column("larceny", "Larcenies per 100,000 people"),
    column("motor", "Motor vehicle thefts per 100,000 people"),
    column("murder", "Murders per 100,000 people"),
    column("jhcitizen_c", "Justifiable homicides by private citizens, count"),
    column("jhpolice_c", "Justifiable homicides by police, count"),
    column("robbery_gun_r", "Share of robberies with a gun"),
    column("unemployrt", "Unemployment rate, in percent"),
    column("poverty", "Poverty rate, in percent"),
    column("blackm_15_24", "Black men of 15 to 24 years, in percent of the population"),
    column("whitem_15_24", "White men of 15 to 24 years, in percent"),
    column("blackm_25_44", "Black men of 25 to 44 years, in percent"),
    column("whitem_25_44", "White men of 25 to 44 years, in percent"),
    column("l_homicide", "Log of `homicide`: an outcome of the study"),
    column("l_larceny", "Log of `larceny`"),
    column("l_motor", "Log of `motor`"),
    column("l_police", "Log of police officers per 100,000 people"),
    column("l_income", "Log of income per person"),
    column("l_prisoner", "Log of prisoners per 100,000 people"),
    column("l_lagprisoner", "Log of prisoners per 100,000 people of the year before"),
    column("l_exp_subsidy", "Log of government subsidies per person"),
    column("l_exp_pubwelfare", "Log of public welfare per person"),
    column("popwt", "Mean population: the weight"),
];

pub(super) const NSW: [TeachingColumn; 12] = [
    column("id", "Person: the unit"),
    column("year", "1975, before the program, or 1978, after it"),
    column(
        "sample",
        "`nsw`: treated and experimental controls; `cps`: controls of the Current Population Survey",
    ),
    column("treat", "1 for the participants of the program"),
    column("age", "Age in years"),
    column("educ", "Years of education"),
    column("black", "1 for black"),
    column("hisp", "1 for Hispanic"),
    column("marr", "1 for married"),
    column("nodegree", "1 for no degree"),
    column("re74", "Real earnings of 1974, in dollars"),
    column("re", "Real earnings of the year, in dollars: the outcome"),
];

pub(super) const FAVARA_IMBS: [TeachingColumn; 6] = [
    column("year", "Year"),
    column("county", "County, as FIPS code: the unit"),
    column("state_n", "State, numbered: the cluster"),
    column("Dl_vloans_b", "Change of the log of the volume of bank loans: the outcome"),
    column("inter_bra", "Index of branching deregulation, 0 to 4: the treatment"),
    column("w1", "Weight"),
];
