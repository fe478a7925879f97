"""Microdata to try things on: a small real survey, a synthetic census, public tables one has."""

from unveil.datasets._census import census
from unveil.datasets._election_survey import election_survey
from unveil.datasets._public import adult, internet_usage

__all__ = ["adult", "census", "election_survey", "internet_usage"]
