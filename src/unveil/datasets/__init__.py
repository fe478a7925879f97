"""Microdata for experiments: a small real survey, a synthetic census, and public tables."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.datasets._census import census
    from unveil.datasets._election_survey import election_survey
    from unveil.datasets._public import adult, internet_usage

__all__, __getattr__ = lazily(__name__)
