//! From the options that commands share to an estimator's builder.

/// A builder with the options that all fits share.
macro_rules! with_shared {
    ($estimator:ty, $args:expr, $on:expr, cluster: $cluster:expr) => {
        <$estimator>::builder()
            .outcome(&*$args.columns.outcome.column.yname)
            .maybe_unit($args.columns.idname.clone())
            .time(&*$args.columns.outcome.period.tname)
            .maybe_frequency($args.columns.outcome.dates.frequency)
            .maybe_weights($args.columns.weights.weightsname.clone())
            .maybe_cluster($cluster)
            .maybe_missing_values($args.columns.source.na.clone())
            .alpha($args.inference.level.alp)
            .maybe_bootstrap($args.inference.bootstrap())
            .keep_influence($args.inference.influence.is_some())
            .precision($on.precision)
            .maybe_memory_budget($args.work.memory.memory_budget)
            .maybe_progress($on.progress)
    };
}

/// As [`with_shared`], with the options of group-time effects.
macro_rules! with_group_time {
    ($estimator:ty, $args:expr, $on:expr) => {
        $crate::configure::with_shared!(
            $estimator, $args, $on,
            cluster: $args.columns.cluster($args.covariates.repeated_cross_sections)?
        )
        .covariates(&*$args.covariates.formula.xformla)
        .repeated_cross_sections($args.covariates.repeated_cross_sections)
        .group(&*$args.group_time.group.gname)
        .control_group($args.group_time.comparison.control_group())
        .base_period($args.group_time.comparison.base_period)
        .method($args.group_time.est_method)
        .maybe_band($args.group_time.band.band())
        .weighting($args.output.weights.weighting)
        .keep_scores($args.output.weights.save_scores.is_some())
    };
}

/// A builder with the options that regressions by cohort share.
macro_rules! with_regression {
    ($estimator:ty, $args:expr, $on:expr) => {
        <$estimator>::builder()
            .outcome(&*$args.outcome.column.yname)
            .time(&*$args.outcome.period.tname)
            .maybe_frequency($args.outcome.dates.frequency)
            .group(&*$args.group.gname)
            .maybe_weights($args.regression.regression.weightsname.clone())
            .maybe_vcov($args.regression.regression.vcov.clone())
            .ssc($args.regression.regression.ssc)
            .solver($args.regression.projection.solver)
            .fixef_tol($args.regression.projection.fixef_tol)
            .fixef_maxiter($args.regression.projection.fixef_maxiter)
            .maybe_missing_values($args.source.na.clone())
            .alpha($args.regression.regression.level.alp)
            .precision($on.precision)
    };
}

/// A builder with the columns of panels with cohorts.
macro_rules! with_cohorts {
    ($estimator:ty, $panel:expr) => {
        <$estimator>::builder()
            .outcome(&*$panel.outcome.column.yname)
            .unit(&*$panel.unit.idname)
            .time(&*$panel.outcome.period.tname)
            .maybe_frequency($panel.outcome.dates.frequency)
            .group(&*$panel.group.gname)
            .covariates(&*$panel.covariates.xformla)
            .maybe_missing_values($panel.source.na.clone())
    };
}

/// A builder with the options of a regression of untreated outcomes.
macro_rules! with_first_stage {
    ($estimator:ty, $stage:expr) => {
        $crate::configure::with_cohorts!($estimator, $stage.panel)
            .fixed_effects(&$stage.absorb)
            .trends($stage.trends)
            .maybe_weights($stage.weightsname.clone())
            .maybe_cluster($stage.cluster.clustervars.clone())
            .alpha($stage.level.alp)
    };
}

/// A builder with the options of estimators that read a panel unit by unit.
macro_rules! with_panel {
    ($estimator:ty, $keys:expr, $outcome:expr, $memory:expr, $bar:expr) => {
        <$estimator>::builder()
            .outcome(&*$outcome.yname)
            .unit(&*$keys.unit.idname)
            .time(&*$keys.period.tname)
            .maybe_frequency($keys.dates.frequency)
            .maybe_missing_values($keys.source.na.clone())
            .maybe_memory_budget($memory.memory_budget)
            .maybe_progress($bar.callback())
    };
}

/// The fit to a command's data, where it is asked for.
macro_rules! fit_where_asked {
    ($estimator:expr, $args:expr, $on:expr) => {{
        let influence = $args.inference.influence.as_ref();
        #[cfg(feature = "ballista")]
        if let Some(cluster) = $on.cluster {
            let cluster = match influence {
                Some(directory) => cluster.with_influence(directory),
                None => cluster,
            };
            return Ok($estimator.fit_cluster(&cluster, $args.columns.source.for_cluster()?)?);
        }
        if let Some(directory) = influence {
            burn_did::audit::InfluenceFiles::make_room(directory)?;
        }
        let fit = $estimator.fit_on_devices($args.columns.source.files(), $on.devices)?;
        if let (Some(directory), Some(influence)) = (influence, &fit.influence) {
            influence.write(directory)?;
        }
        Ok(fit)
    }};
}

/// The fit to a command's data, whose units are asked one by one: here, or on the cluster that is named.
macro_rules! fit_units {
    ($estimator:expr, $source:expr, $rows:expr) => {{
        #[cfg(feature = "ballista")]
        if let Some(cluster) = $rows.cluster.connect()? {
            return Ok($estimator.fit_cluster(&cluster, $source.for_cluster()?)?);
        }
        Ok($estimator.fit($source.files())?)
    }};
}

pub(crate) use fit_units;
pub(crate) use fit_where_asked;
pub(crate) use with_cohorts;
pub(crate) use with_first_stage;
pub(crate) use with_group_time;
pub(crate) use with_panel;
pub(crate) use with_regression;
pub(crate) use with_shared;
