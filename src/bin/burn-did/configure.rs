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
            .maybe_memory_budget($args.memory.memory_budget)
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
        .covariates(&*$args.covariates.xformla)
        .repeated_cross_sections($args.covariates.repeated_cross_sections)
        .group(&*$args.group_time.group.gname)
        .control_group($args.group_time.comparison.control_group)
        .base_period($args.group_time.comparison.base_period)
        .method($args.group_time.est_method)
        .maybe_band($args.group_time.band.band())
        .weighting($args.output.weights.weighting)
        .keep_scores($args.output.weights.save_scores.is_some())
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

pub(crate) use fit_where_asked;
pub(crate) use with_group_time;
pub(crate) use with_shared;
