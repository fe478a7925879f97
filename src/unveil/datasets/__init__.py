"""Microdata for experiments: a small real survey, synthetic people and visits, public tables."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.datasets._census import census
    from unveil.datasets._surveys import adult, election_survey, internet_usage
    from unveil.datasets._visits import visits

__all__, __getattr__ = lazily(__name__)
