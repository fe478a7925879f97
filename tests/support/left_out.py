"""What a sanitizer says of tables without somebody, beside the sanitizer run on these tables."""

import numpy as np

import unveil as uv
from unveil.errors import GoalError
from unveil.microdata import Statistic

BOTH = [Statistic.COVER, Statistic.JOINT]


def run_without(sanitizer, microdata, record, statistic):
    """The statistic of f(D without i), the long way; None if there is no such release."""
    try:
        release = sanitizer.sanitize(microdata.without(record))
    except GoalError:
        return None
    return release.statistic(statistic, microdata.codes[:, [record]])[0]


def assert_exact(sanitizer, microdata, records, statistic, jobs=1):
    finished = []
    found = sanitizer.leave_one_out(microdata, records, statistic, jobs=jobs, done=finished.append)
    release = sanitizer.sanitize(microdata)
    np.testing.assert_array_equal(
        found.present, release.statistic(statistic, microdata.codes[:, records])
    )
    for place, record in enumerate(records):
        expected = run_without(sanitizer, microdata, record, statistic)
        assert found.possible[place] == (expected is not None)
        if expected is not None:
            np.testing.assert_array_equal(found.absent[place], expected, str(record))
    assert sum(finished) == found.possible.sum() or isinstance(sanitizer, uv.Identity)
