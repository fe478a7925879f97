"""What tests of hardening share."""

import pytest

import unveil as uv


@pytest.fixture(scope="session")
def survey():
    """944 people of a real survey."""
    return uv.datasets.election_survey()
