"""Microdata for experiments: a small real survey, a synthetic census, and public tables."""

from unveil.datasets._census import census
from unveil.datasets._election_survey import election_survey
from unveil.datasets._public import adult, internet_usage

__all__ = ["adult", "census", "election_survey", "internet_usage"]
