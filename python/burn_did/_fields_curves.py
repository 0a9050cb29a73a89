"""Fields of results that are curves, by the names of ModernDiD."""

from __future__ import annotations

from ._fields import Numbers
from ._fields_lacking import DOSES, NPIV
from ._result import Result


class DoseFields(Result):
    """Fields of the effects of doses."""

    _lacking = DOSES

    @property
    def dose(self) -> list[float]:
        """The doses."""
        return self._of("effects", "dose")

    @property
    def att_d(self) -> Numbers:
        """Effects on the treated by dose."""
        return self._of("effects", "estimate")

    @property
    def att_d_se(self) -> Numbers:
        """Their standard errors."""
        return self._of("effects", "se")

    @property
    def att_d_crit_val(self) -> float | None:
        """Standard errors from an effect to the ends of its interval."""
        return self._fact("critical_value_att")  # type: ignore[no-any-return]

    @property
    def acrt_d(self) -> Numbers:
        """Slopes of the effects in the dose."""
        return self._of("slopes", "estimate")

    @property
    def acrt_d_se(self) -> Numbers:
        """Their standard errors."""
        return self._of("slopes", "se")

    @property
    def acrt_d_crit_val(self) -> float | None:
        """Standard errors from a slope to the ends of its interval."""
        return self._fact("critical_value_acrt")  # type: ignore[no-any-return]

    @property
    def overall_att(self) -> float | None:
        """The average effect over the doses of the treated."""
        return self._fact("overall_att")  # type: ignore[no-any-return]

    @property
    def overall_att_se(self) -> float | None:
        """Its standard error."""
        return self._fact("overall_att_se")  # type: ignore[no-any-return]

    @property
    def overall_acrt(self) -> float | None:
        """The average slope over the doses of the treated."""
        return self._fact("overall_acrt")  # type: ignore[no-any-return]

    @property
    def overall_acrt_se(self) -> float | None:
        """Its standard error."""
        return self._fact("overall_acrt_se")  # type: ignore[no-any-return]


class NpivFields(Result):
    """Fields of a function that sieves estimate, at the points of ``x_eval``."""

    _lacking = NPIV

    #: Whether ``h_lower`` and ``h_upper``, and the same of the derivative, were asked for.
    _bands: tuple[bool, bool] = (True, True)

    @property
    def h(self) -> Numbers:
        """The function."""
        return self._of("function", "estimate")

    @property
    def h_lower(self) -> Numbers | None:
        """Lower ends of its uniform band; None with ``ucb_h=False``."""
        return self._of("function", "band_lower") if self._bands[0] else None

    @property
    def h_upper(self) -> Numbers | None:
        """Upper ends of its uniform band; None with ``ucb_h=False``."""
        return self._of("function", "band_upper") if self._bands[0] else None

    @property
    def deriv(self) -> Numbers:
        """The derivative."""
        return self._of("derivative", "estimate")

    @property
    def h_lower_deriv(self) -> Numbers | None:
        """Lower ends of its uniform band; None with ``ucb_deriv=False``."""
        return self._of("derivative", "band_lower") if self._bands[1] else None

    @property
    def h_upper_deriv(self) -> Numbers | None:
        """Upper ends of its uniform band; None with ``ucb_deriv=False``."""
        return self._of("derivative", "band_upper") if self._bands[1] else None

    @property
    def beta(self) -> list[float]:
        """Coefficients of the splines."""
        return self._result["coefficients"]  # type: ignore[no-any-return]

    @property
    def asy_se(self) -> Numbers:
        """Pointwise standard errors of the function."""
        return self._of("function", "se")

    @property
    def deriv_asy_se(self) -> Numbers:
        """Pointwise standard errors of the derivative."""
        return self._of("derivative", "se")

    @property
    def cv(self) -> float | None:
        """Standard errors from the function to the ends of its band; None with ``ucb_h=False``."""
        return self._fact("critical_value") if self._bands[0] else None

    @property
    def cv_deriv(self) -> float | None:
        """Standard errors from the derivative to the ends of its band; None with ``ucb_deriv=False``."""
        return self._fact("critical_value_derivative") if self._bands[1] else None

    @property
    def j_x_degree(self) -> int:
        """Degree of the splines of the regressors."""
        return self._fact("degree")  # type: ignore[no-any-return]

    @property
    def j_x_segments(self) -> int:
        """Segments of the splines of the regressors, as given or as the data chose."""
        return self._fact("x_segments")  # type: ignore[no-any-return]

    @property
    def k_w_degree(self) -> int | None:
        """Degree of the splines of the instruments, that of the regressors where there are none; None of results that an earlier version saved."""
        return self._result["settings"]["w_degree"]  # type: ignore[no-any-return]

    @property
    def k_w_segments(self) -> int:
        """Segments of the splines of the instruments."""
        return self._fact("w_segments")  # type: ignore[no-any-return]
