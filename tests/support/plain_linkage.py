"""Linkage and composition by their definitions: every person beside every record."""

from __future__ import annotations

from collections import Counter

from unveil.microdata import Permuted


def candidates(release, codes):
    """The records that cover one person (codes, None: not known), and their values and groups.

    Returns the record numbers, the groups or classes, and a Counter of the expected values.
    """
    found, groups, values = [], set(), Counter()
    if isinstance(release, Permuted):
        for i in range(len(release)):
            own = release.codes[:, i]
            if all(c is None or c == o for c, o in zip(codes, own, strict=True)):
                found.append(i)
                g = int(release.group_of[i])
                groups.add(g)
                for s, n in enumerate(release.counts[g].tolist()):
                    if n:
                        values[s] += n / int(release.sizes[g])
        return found, groups, values
    inside = [
        [True] * release.n_classes if c is None else r.covers(int(c)).tolist()
        for c, r in zip(codes, release.regions, strict=True)
    ]
    for i, g in enumerate(release.class_of.tolist()):
        if all(column[g] for column in inside):
            found.append(i)
            groups.add(g)
            values[int(release.sensitive.codes[i])] += 1
    return found, groups, values


def entries(release, codes):
    """The published sensitive values that may be one person's: a Counter of texts."""
    _, groups, values = candidates(release, codes)
    if isinstance(release, Permuted):
        values = Counter()
        for g in groups:
            values.update({s: n for s, n in enumerate(release.counts[g].tolist()) if n})
    return Counter({release.sensitive.texts[s]: n for s, n in values.items()})


def together(releases, codes):
    """What is left of a person's values if each release has its codes: a Counter of texts."""
    each = [entries(release, own) for release, own in zip(releases, codes, strict=True)]
    return Counter({s: min(one[s] for one in each) for s in each[0] if all(one[s] for one in each)})
