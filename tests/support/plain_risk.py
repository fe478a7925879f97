"""Relative risk by its definition: every table behind a release, row by row, in fractions."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np

from unveil.attacks.relative_risk import Horizontal, Vertical


def tables_behind(problem):
    """Every table as a list of rows (sensitive value, number of the tuple), each one once."""
    if isinstance(problem, Horizontal):
        start, members = problem.members
        rows = [
            [(s, int(r)) for r in members[start[g] : start[g + 1]]]
            for g, counts in enumerate(problem.counts)
            for s, n in enumerate(counts)
            for _ in range(n)
        ]
        yield from itertools.product(*rows)
        return
    assert isinstance(problem, Vertical)
    groups = []
    for g, counts in enumerate(problem.counts):
        tuples = problem.tuples[problem.start[g] : problem.start[g + 1]].tolist()
        secrets = [s for s, n in enumerate(counts) for _ in range(n)]
        dealings = set(itertools.permutations(secrets))
        groups.append([tuple(zip(d, tuples, strict=True)) for d in dealings])
    for parts in itertools.product(*groups):
        yield tuple(row for part in parts for row in part)


class Population:
    """What is known of the population after some rows, each of which is drawn from it."""

    def __init__(self, problem, likelihood):
        self.problem, self.likelihood = problem, likelihood
        self.beta = Fraction(problem.beta).limit_denominator(1000)
        self.seen, self.total = Counter(), Counter()

    def next_is(self, s, codes):
        """The probability that the next row with this sensitive value is this tuple."""
        if self.likelihood == "saturated":
            whole = self.beta * self.problem.domain.size + self.total[s]
            return (self.beta + self.seen[s, tuple(codes)]) / whole
        found = Fraction(1)
        for c, code in enumerate(codes):
            whole = self.beta * int(self.problem.domain.sizes[c]) + self.total[s]
            found *= (self.beta + self.seen[s, c, code]) / whole
        return found

    def add(self, s, codes):
        self.total[s] += 1
        if self.likelihood == "saturated":
            self.seen[s, tuple(codes)] += 1
        else:
            self.seen.update((s, c, code) for c, code in enumerate(codes))


def plain_answer(problem, likelihood):
    """Expected rows and densities of all watched tuples, sensitive values × tuples."""
    tuples = [tuple(codes) for codes in problem.domain.codes.T.tolist()]
    watched = [tuple(codes) for codes in problem.watched.T.tolist()]
    shape = (problem.values, len(watched))
    rows, density, evidence = np.zeros(shape, object), np.zeros(shape, object), Fraction(0)
    for table in tables_behind(problem):
        population, weight = Population(problem, likelihood), Fraction(1)
        for s, r in table:
            weight *= population.next_is(s, tuples[r])
            population.add(s, tuples[r])
        evidence += weight
        for (s, r), n in Counter(table).items():
            if tuples[r] in watched:
                rows[s, watched.index(tuples[r])] += weight * n
        for s in range(problem.values):
            for w, codes in enumerate(watched):
                density[s, w] += weight * population.next_is(s, codes)
    return (rows / evidence).astype(float), (density / evidence).astype(float)
