"""Attacks: each plays an adversary against a release and returns a finding.

One room per attack. `people` and `shared` hold what several of them share.
"""

__all__: list[str] = []
