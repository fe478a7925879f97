"""Privacy as a test: `assert_release` says in a test what must hold of a release.

>>> import unveil as uv
>>> from unveil.testing import assert_release
>>> survey = uv.datasets.election_survey()
>>> audit = assert_release(survey, uv.Mondrian(k=5), "k >= 5", "l >= 2")

It works in any test runner. pytest finds `unveil.testing.plugin` by itself, which gives a fixture
of the same name and ``--unveil-report DIR``. Nothing heavy is loaded before something is asserted.
"""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.testing._assert_release import assert_release

__all__, __getattr__ = lazily(__name__)
