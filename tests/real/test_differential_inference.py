"""On the public tables: the published figures of no sanitization, and both paths side by side."""

import numpy as np
import pytest

import unveil as uv

pytestmark = pytest.mark.real

FIVE = ("age", "education_attainment", "major_occupation", "marital_status", "race")


@pytest.mark.parametrize(("quasi", "delta"), [(None, 0.198), (FIVE, 0.168)])
def test_internet_usage_unsanitized_has_the_published_delta(internet_usage, quasi, delta):
    finding = uv.differential_inference(
        internet_usage(quasi), uv.Identity(), adversary="naive-bayes"
    )
    assert round(finding.delta, 3) == delta
    assert len(finding.tested) == 9_799


def assert_deltas(table, expected):
    """δ of naive Bayes and of conditional frequency: as it is, and for k of 5, 20 and 80."""
    releases = (uv.Identity(), *(uv.Mondrian(k=k) for k in (5, 20, 80)))
    for sanitizer, deltas in zip(releases, expected, strict=True):
        finding = uv.differential_inference(table, sanitizer)
        assert [round(one.delta, 3) for one in finding.against.values()] == deltas
        assert round(finding.delta, 3) == max(deltas)


def test_naive_bayes_alone_would_call_coarser_releases_worse(internet_usage, adult):
    """It pools all records, so what it misses in exact ones is no protection."""
    assert_deltas(
        internet_usage(), [[0.198, 0.936], [0.569, 0.862], [0.501, 0.602], [0.482, 0.458]]
    )
    assert_deltas(adult(), [[0.258, 1.0], [0.269, 0.922], [0.324, 0.867], [0.357, 0.626]])


def assert_paths_agree_on_the_worst_and_on_some(microdata, sanitizer, adversary, some):
    fast = uv.differential_inference(microdata, sanitizer, adversary=adversary)
    worst = np.argsort(-fast.distances)[:20]
    rng = np.random.default_rng(1)
    targets = np.union1d(worst, rng.choice(len(microdata), some, replace=False))
    general = uv.differential_inference(
        microdata, sanitizer, adversary=adversary, targets=targets, path="general"
    )
    np.testing.assert_allclose(general.distances, fast.distances[targets], rtol=0, atol=1e-12)
    assert fast.smallest_class >= (sanitizer.k or 1)
    assert not fast.not_tested


GOALS = [
    (uv.Mondrian(k=5), "naive-bayes"),
    (uv.Mondrian(l=3), "naive-bayes"),
    (uv.Mondrian(k=5, regions="cut"), "conditional-frequency"),
    (uv.Mondrian(k=20, l=2), "conditional-frequency"),
]


@pytest.mark.parametrize(("sanitizer", "adversary"), GOALS)
def test_paths_agree_on_internet_usage(internet_usage, sanitizer, adversary):
    assert_paths_agree_on_the_worst_and_on_some(internet_usage(), sanitizer, adversary, 100)


@pytest.mark.parametrize(
    ("sanitizer", "adversary"),
    [
        (uv.Mondrian(k=5), "naive-bayes"),
        (uv.Mondrian(l=2), "naive-bayes"),
        (uv.Mondrian(k=5, regions="cut"), "conditional-frequency"),
    ],
)
def test_paths_agree_on_adult(adult, sanitizer, adversary):
    assert_paths_agree_on_the_worst_and_on_some(adult(), sanitizer, adversary, 60)


def test_paths_agree_without_hierarchies(internet_usage):
    """Then most columns are cut in sorted order, and publish sets."""
    flat = internet_usage(with_hierarchies=False)
    assert_paths_agree_on_the_worst_and_on_some(flat, uv.Mondrian(k=5), "naive-bayes", 60)


def test_the_number_of_threads_does_not_matter(internet_usage):
    microdata = internet_usage()
    findings = [
        uv.differential_inference(microdata, uv.Mondrian(k=5), jobs=jobs) for jobs in (1, 2)
    ]
    np.testing.assert_array_equal(findings[0].distances, findings[1].distances)


def test_a_release_of_real_cells_reads_back(internet_usage):
    microdata = internet_usage()
    for regions in ("tight", "cut"):
        release = uv.Mondrian(k=5, regions=regions).sanitize(microdata)
        again = uv.read_release(release.to_frame(), microdata)
        np.testing.assert_array_equal(
            release.cover_counts(microdata.codes), again.cover_counts(microdata.codes)
        )
