"""What `snapshot.py` calls: tables of functions, options and commands."""

from __future__ import annotations

from itertools import product
from typing import Any

# Functions, options, commands: the spellings to try. The first that there is, is taken.
NAMES: dict[str, tuple[str, ...]] = {
    "n_jobs": ("n_jobs", "jobs"),
    "limit": ("limit", "budget"),
    "risk": ("relative-risk", "risk"),
    "quasi": ("quasi", "knows"),
    "by": ("by", "knows"),
    "differential": ("differential-inference", "differential"),
    "measure": ("measures", "measure"),
    "encodings": ("compare-encodings", "encodings"),
    "--known": ("--known", "--knows"),
    "--jobs": ("--jobs",),
    "--limit": ("--limit", "--budget"),
}
KEY = "5eed" * 16  # of the references to people in an audit

SANITIZERS: dict[str, tuple[str, dict[str, Any]]] = {
    "identity": ("Identity", {}),
    "mondrian-k5": ("Mondrian", {"k": 5}),
    "mondrian-k3-l2": ("Mondrian", {"k": 3, "l": 2}),
    "mondrian-k3-t": ("Mondrian", {"k": 3, "t": 0.4}),
    "mondrian-cut": ("Mondrian", {"k": 5, "regions": "cut"}),
    "recoding": ("Recoding", {"k": 3, "suppression": 0.1}),
    "recoding-l-t": ("Recoding", {"k": 2, "l": 2, "t": 0.5, "suppression": 0.2}),
    "local": ("Recoding", {"k": 3, "scheme": "local", "suppression": 0.1}),
    "anatomy": ("Anatomy", {"l": 2, "seed": 1}),
    "microaggregation": ("Microaggregation", {"k": 4}),
    "response": ("RandomizedResponse", {"epsilon": 1, "seed": 1}),
    "laplace": ("LaplaceCounts", {"epsilon": 1, "seed": 1}),
    "oracle": ("Oracle", {"source": lambda table: table.assign(education="*")}),
}
TABLES = ("survey", "small", "census", "adult", "internet")
# Where calls are made: tables with sanitizers.
TWO, SOME = ("survey", "small"), ("mondrian-k5", "recoding", "anatomy")
BOTH, SMALL = [*product(TWO, SANITIZERS)], [*product(["small"], SANITIZERS)]
REST, PART = [*product(("census", "adult", "internet"), SOME)], [*product(TWO, SOME)]
MAIN, WIDE = [*product(TWO, SOME[:1])], [*product(TABLES, SANITIZERS)]

FEW = {"targets": [0, 5, 9], "n_jobs": 1, "samples": "$samples"}
SHORT = {"sweeps": 60, "limit": None, "n_jobs": 1}
NAMED = {"identifier": "name", "microdata": "$table", "record_of": "$rows"}
MODELS = ("conditional-frequency", "smoothed-frequency", "tree", "forest:n_estimators=5",
          "logistic", "neighbours", "gaussian-nb", "boosting:max_iter=3")  # fmt: skip
PARTS: dict[str, dict[str, Any]] = {
    "differential-inference": {"targets": 40, "budget": None}, "inference": {},
    "relative-risk": {"sweeps": 60, "limit": None}, "definetti": {}, "linkage": {},
    "minimality": {"draws": 100, "steps": 2000}, "membership": {"removals": 4}, "measures": {},
    "discrimination-rate": {}, "utility": {},
}  # fmt: skip
CHANCE = {"differential-inference": {"targets": 5, "samples": 4, "budget": None}}
AUDIT = {"attacks": PARTS, "key": KEY, "n_jobs": 1}

# Functions; what they are given; where; the options of each call.
CALLS: list[tuple[str, str, list[tuple[str, str]], list[dict[str, Any]]]] = [
    ("release", "release", WIDE, [{}]),
    ("differential_inference", "table sanitizer", BOTH, [FEW]),
    ("differential_inference", "table sanitizer", REST, [FEW | {"targets": 40}]),
    ("differential_inference", "table sanitizer", SMALL, [
        FEW | {"adversary": who} for who in MODELS[:3]]),
    ("differential_inference", "table sanitizer", MAIN, [
        *({"n_jobs": 1, "distance": d} for d in ("l1", "emd:ordered", "hellinger", "kl")),
        *(FEW | {"adversary": who} for who in MODELS[3:]),
        FEW | {"adversary": ["naive-bayes", "tree@bounds-hot"], "predictions": True},
        {"n_jobs": 1, "path": "general", "targets": 20, "draw": "stratified", "seed": 3},
        {"n_jobs": 1, "targets": 30, "draw": "exposed"}]),
    ("inference", "release table", BOTH, [{}, {"adversary": ["naive-bayes", "tree"]}]),
    ("inference", "sanitizer table", SMALL + REST, [{"folds": 3}]),
    ("inference", "sanitizer table", MAIN, [
        {"held_out": 0.4, "confidence": 0.7, "adversary": [MODELS[3], "neighbours"]}]),
    ("relative_risk", "release table", BOTH + REST, [SHORT]),
    ("relative_risk", "release table", PART[3:], [
        SHORT | {"exact": False}, SHORT | {"exact": False, "sampler": "gibbs", "chains": 2},
        SHORT | {"alpha": 2.0, "beta": 0.5, "learner": "conditional", "ties": "fraction"},
        SHORT | {"likelihood": "naive-bayes"}, SHORT | {"domain": "product"}]),
    ("membership", "table sanitizer", SMALL, [{"removals": 4, "n_jobs": 1}]),
    ("membership", "table sanitizer", REST, [
        {"removals": 4, "n_jobs": 1, "held_out": 0.4, "own": 0.3, "adversary": "tree", "seed": 5}]),
    ("linkage", "release people", WIDE, [NAMED]),
    ("linkage", "release people", PART, [{}, NAMED | {"quasi": ["age", "education"]}]),
    ("composition", "releases table", WIDE, [{}]),
    ("composition", "releases table", PART, [{"k": 3, "quasi": ["age", "education"]}]),
    ("definetti", "release table", WIDE, [{}]),
    ("definetti", "release table", PART, [
        {"method": "foreground"}, {"method": "foreground", "by": "education"},
        {"smoothing": 0.5, "rounds": 3, "steps": 0}]),
    ("minimality", "sanitizer table", BOTH, [{"draws": 100, "steps": 2000}]),
    ("minimality", "sanitizer table", [("adult", "mondrian-k3-l2"), ("adult", "recoding-l-t")], [
        {"draws": 100, "steps": 2000, "scope": "class"}]),
    ("compare_encodings", "table sanitizer", SMALL, [
        {"encodings": ["relative-relative", "bounds-hot"]}]),
    ("compare_encodings", "table sanitizer", MAIN, [{}, {"adversary": "tree"}]),
    ("harden", "table sanitizer", SMALL, [
        {"strategy": s, "rounds": 2, "delta": 0.1, "samples": "$samples", "n_jobs": 1}
        for s in ("remove", "merge")]),
    ("harden", "table sanitizer", [*MAIN, ("survey", "mondrian-cut")], [
        {"strategy": ["remove", "merge"], "rounds": 3, "delta": 0.2, "at_most": 0.3, "n_jobs": 1}]),
    ("measures k_anonymity l_diversity t_closeness alpha_k beta_likeness delta_disclosure "
     "uniqueness unique_subsets reidentification_risk discrimination_rate discrimination_rates "
     "homogeneity background_knowledge average_class_size discernibility count",
     "release", BOTH + REST, [{}]),
    ("identity_disclosure information_loss entropy_loss suppression utility skewness",
     "release table", BOTH + REST, [{}]),
    ("measures", "release", PART, [
        {"partition": "$partition", "subsets": 2, "l": 3, "threshold": 0.1},
        {"distance": "ordered", "population_size": 5000}]),
    ("l_diversity", "release", PART, [{"l": 3}]),
    ("t_closeness", "release", PART, [{"distance": "equal"}, {"distance": "ordered"}]),
    ("unique_subsets", "release", PART, [{"at_most": 1}]),
    ("reidentification_risk", "release", PART, [
        {"population_size": 5000, "threshold": 0.1}, {"sampling_fraction": 0.1},
        {"population": "$table"}, {"population_size": 5000, "estimator": "pitman"}]),
    ("discrimination_rate", "release", PART, [
        {"by": "age"}, {"partition": "$partition"}, {"of": "age", "by": "education"}]),
    ("discrimination_rates", "release", PART, [{"at_most": 1, "partition": "$partition"}]),
    ("average_class_size", "release", PART, [{"k": 5}]),
    ("discernibility", "release", PART, [{"original": "$table"}]),
    ("similarity", "release partition", BOTH, [{}]),
    ("compare_measures", "both", BOTH, [{}]),
    ("compare_discrimination", "both", BOTH, [{}, {"partitions": {"two": "$partition"}}]),
    ("classifier_utility", "sanitizer table", BOTH, [{"repeats": 2}]),
    ("utility", "sanitizer table", SMALL, [{"classifier": True, "repeats": 2, "k": 3}]),
    ("audit", "table", [("survey", "")], [
        AUDIT | {"releases": ["mondrian:k=5", "mondrian:k=5,l=2"], "fail_on": ["delta > 0.15"]},
        AUDIT | {"releases": "mondrian:k=5", "knows": ["age", "education"]}]),
    ("audit", "table", [("small", "")], [
        AUDIT | {"releases": ["anatomy:l=2,seed=1", "randomized-response:epsilon=1,seed=1"],
                 "attacks": PARTS | CHANCE, "private": True}]),
    ("audit", "table", [("census", "")], [
        AUDIT | {"releases": "recoding:k=3,suppression=0.1", "fail_on": ["k < 5", "loss > 50%"]}]),
    ("audit", "table", [("adult", "")], [
        AUDIT | {"releases": "mondrian:k=2,10", "smallest": 1, "adversary": MODELS[0]}]),
    ("audit", "table", [("internet", "")], [
        AUDIT | {"releases": ["identity", "microaggregation:k=4"], "seed": 4}]),
]  # fmt: skip

# Methods of findings, with what they are given. Those that a finding has are called.
METHODS: dict[str, tuple[Any, ...]] = {
    "to_frame": (), "summary": (), "verdict": (), "quantiles": (), "share_over": (0.05,),
    "bound": (0.05,), "delta_within": (), "tails": (), "strongest_for": (), "worst": (5,),
    "victim": (0,), "candidates_of": (0,), "belief_about": (0,), "by_group": (), "beliefs_of": (0,),
    "roc": (), "share_below": (10,), "recursive": (2,), "minimal": (), "best": (),
}  # fmt: skip

# Name | command line | files that it writes. They are run in this order, in one folder.
SHORTHANDS = {
    "@survey": "survey.csv @roles --hierarchies trees",
    "@small": "small.csv --quasi age,education --sensitive party",
    "@roles": "--quasi age,education,income --sensitive party",
    "@json": "--json out.json",
    "@k5": "--sanitizer mondrian:k=5",
    "@anatomy": "--sanitizer anatomy:l=2,seed=1",
    "@victim": """--victim 'age=36,education=High school,income="Under $3,000"'""",
}
SHELL = """
demo | demo @json | out.json
init | init survey.csv -o made.toml | made.toml
anonymize | anonymize @survey @k5 -o released.csv | released.csv
recode | anonymize @survey --sanitizer recoding:k=3,suppression=0.1 -o other.csv | other.csv
audit | audit @survey --sanitizer mondrian:k=2..8 --release ours=released.csv --jobs 1 \
    --key the.key --fail-on 'delta > 0.1' --json a.json --report a.html --junit a.xml \
    | a.json a.html a.xml
audit-all | audit @small @k5 --attack all --key the.key --jobs 1 @json | out.json
first-look | audit @survey --attack measures --attack utility --key the.key --json b.json | b.json
report | report a.json -o again.html | again.html
compare | compare a.json b.json --strict @json | out.json
compare-same | compare a.json a.json --strict @json | out.json
resolve | resolve survey.csv @reference --key the.key |
differential | differential @survey @k5 --sanitizer mondrian:k=5,l=2 --worst 5 --jobs 1 --records \
    @json | out.json
chance | differential @small --parts age=5 @anatomy --sanitizer laplace-counts:epsilon=1,seed=1 \
    --samples 4 --targets 5 --jobs 1 @json | out.json
several | differential @small --sanitizer microaggregation:k=4 --adversary tree --adversary \
    naive-bayes --distance l1 --targets 6 --draw stratified --seed 7 --jobs 1 @json | out.json
measure | measure released.csv survey.csv @roles --classes --subsets 2 --records @json | out.json
lost | measure released.csv @roles --hierarchies trees --original survey.csv --l 3 --threshold 0.1 \
    --population-size 5000 @json | out.json
risk | risk @small @k5 @anatomy --sweeps 60 --worst 5 --jobs 1 --records @json | out.json
victim | risk @survey --release released.csv --sampled --sampler gibbs --chains 2 --jobs 1 \
    --sweeps 40 --limit '60 min' --alpha 2 --beta 0.5 @victim @json | out.json
inference | inference @survey @k5 --folds 3 --adversary naive-bayes --adversary tree@bounds-hot \
    --records @json | out.json
inference-release | inference @survey --release released.csv @json | out.json
membership | membership @small @k5 --removals 4 --jobs 1 --records @json | out.json
linkage | linkage @survey --release released.csv --external people.csv --identifier name \
    --csv rows.csv --records @json | out.json rows.csv
linkage-known | linkage @survey @k5 --known age,education @json | out.json
composition | composition @survey @k5 --release b=other.csv --k 4 --csv rows.csv @json \
    | out.json rows.csv
definetti | definetti @survey @anatomy --worst 5 --records @json | out.json
foreground | definetti @survey --release released.csv --method foreground --by education @json \
    | out.json
minimality | minimality @small --sanitizer mondrian:k=3,l=2 --draws 99 --steps 999 @json | out.json
harden | harden @small @k5 --delta 0.1 --strategy both --rounds 3 --at-most 0.3 --jobs 1 \
    -o hard.csv @json | out.json hard.csv
encodings | encodings @small @k5 @json | out.json
wrong-column | measure survey.csv --quasi nothing --sensitive party |
impossible | anonymize @small --sanitizer mondrian:k=9999 -o no.csv |
"""
