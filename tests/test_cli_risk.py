"""`unveil risk`: what it prints, writes, refuses, and how it exits."""

import importlib.util
import json

import numpy as np
import pandas as pd
import pytest
from command_line import ROLES, run
from malaysian import GROUPS, LOCAL_RECODING, PATIENTS, patients

import unveil as uv
from unveil.cli import _console, _risk
from unveil.microdata import Permuted

BOTH = ["--quasi", "nationality,zip", "--sensitive", "disease", "--categorical", "zip"]
ONE = ["--quasi", "nationality", "--sensitive", "disease"]
MALAYSIAN = ["--victim", "nationality=Malaysia,zip=45501"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The worked example: the original, its local recoding, and Anatomy's tables in three forms."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_console, "_PATIENCE", 3600)  # nothing is said about compiling
    pd.DataFrame(PATIENTS).to_csv("patients.csv", index=False)
    pd.DataFrame(LOCAL_RECODING).to_csv("recoded.csv", index=False)
    permuted = Permuted.from_groups(patients("nationality", "zip"), GROUPS)
    permuted.write("anatomy")
    permuted.write("records.csv", "secrets.csv")
    permuted.to_frame().to_csv("shuffled.csv", index=False)
    return tmp_path


@pytest.fixture
def overlapping(tmp_path):
    """A survey of 200 people, and a release of it whose cells overlap."""
    rng = np.random.default_rng(2)
    age = rng.integers(20, 60, 200)
    frame = pd.DataFrame({"age": age, "town": rng.choice(["Rome", "Lyon", "Nice"], 200),
                          "vote": rng.choice(["a", "b", "c"], 200)})  # fmt: skip
    frame.to_csv("crowd.csv", index=False)
    low = np.maximum(20, age - rng.integers(0, 9, 200))
    cells = [f"{a}-{a + 9}" for a in low]
    frame.assign(age=cells, town="*").to_csv("overlapping.csv", index=False)
    return ["crowd.csv", *ROLES, "--release", "overlapping.csv"]


def words(result):
    return " ".join(result.stdout.split())


def findings(result):
    return json.loads(result.stdout)["findings"]


def test_a_release_is_told_as_the_library_tells_it():
    done = run("risk", "patients.csv", *ONE, "--release", "recoded.csv")
    people = uv.read_csv("patients.csv", quasi="nationality", sensitive="disease")
    finding = uv.relative_risk(
        uv.read_release("recoded.csv", people, made_by="recoded.csv"), people
    )
    assert done.stdout.startswith("patients.csv: 8 records. An attacker knows nationality and ")
    for line in finding.summary().splitlines():
        if " s" not in line[-3:]:  # the time is another
            assert " ".join(line.split()) in words(done)
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_json_has_the_python_numbers():
    options = ["--alpha", 2, "--beta", 0.5, "--likelihood", "naive-bayes", "--domain", "product",
               "--learner", "conditional", "--ties", "fraction", "--sampler", "gibbs", "--sampled",
               "--chains", 3, "--panel", 2, "--rhat", 1.2, "--ess", 50, "--sweeps", 400,
               "--budget", "1 min", "--seed", 4, "--jobs", 1]  # fmt: skip
    (found,) = findings(run("risk", "patients.csv", *BOTH, "--release", "recoded.csv", *options,
                            "--json", "-", "--records"))  # fmt: skip
    people = uv.read_csv("patients.csv", quasi=["nationality", "zip"], sensitive="disease",
                         categorical="zip")  # fmt: skip
    release = uv.read_release("recoded.csv", people, made_by="recoded.csv")
    again = uv.relative_risk(
        release, people, alpha=2, beta=0.5, likelihood="naive-bayes", domain="product",
        learner="conditional", ties="fraction", sampler="gibbs", exact=False, chains=3, panel=2,
        rhat=1.2, ess=50, sweeps=400, seed=4,
    ).to_dict(records=True)  # fmt: skip
    for one in (found, again):
        del one["seconds"], one["sampling"]["seconds"]
    assert found == json.loads(json.dumps(again))


def test_anatomy_in_a_folder_in_two_files_and_in_one():
    (folder,) = findings(run("risk", "patients.csv", *BOTH, "--anatomy", "anatomy", "--json", "-"))
    assert folder["kind"] == "vertical"
    (two,) = findings(run("risk", "patients.csv", *BOTH, "--anatomy", "records.csv",
                          "--sensitive-table", "secrets.csv", "--json", "-"))  # fmt: skip
    (one,) = findings(run("risk", "patients.csv", *BOTH, "--anatomy", "shuffled.csv",
                          "--json", "-"))  # fmt: skip
    names = [found.pop("release") for found in (folder, two, one)]
    assert names == ["anatomy", "records.csv", "shuffled.csv"]
    for found in (folder, two, one):
        del found["seconds"]
    assert folder == two == one
    assert folder["risk"]["n_attacker"] == 8


def test_shuffled_values_that_are_given_as_if_they_were_not():
    pd.read_csv("shuffled.csv").to_parquet("shuffled.parquet")
    for file in ("shuffled.csv", "shuffled.parquet"):
        done = run("risk", "patients.csv", *BOTH, "--release", file)
        assert f"Note: {file} has a column 'group', which is not used; if sensitive" in words(done)
    done = run("risk", "patients.csv", *BOTH, "--release", "recoded.csv")
    assert "'group'" not in done.stdout


def test_columns_of_anatomy_with_other_names():
    for file in ("records.csv", "secrets.csv"):
        frame = pd.read_csv(file).rename(columns={"group": "bucket", "count": "n"})
        frame.to_csv(file, index=False)
    tables = ["--anatomy", "records.csv", "--sensitive-table", "secrets.csv"]
    done = run("risk", "patients.csv", *BOTH, *tables, code=2)
    assert "column 'group' is not in records.csv" in done.stderr
    assert done.stderr.endswith("if it has another name, give --group\n")
    run("risk", "patients.csv", *BOTH, *tables, "--group", "bucket", "--count", "n")


def test_several_releases_are_compared_before_each_is_told():
    done = run("risk", "patients.csv", *BOTH, "--release", "recoded.csv", "--anatomy", "anatomy",
               "--sanitizer", "mondrian:k=4")  # fmt: skip
    table = done.stdout[: done.stdout.index("Relative risk:")].splitlines()
    rows = {line.split()[0]: line for line in table if " exact" in line}
    assert list(rows) == ["recoded.csv", "anatomy", "Mondrian(k=4)"]
    assert rows["recoded.csv"].split()[1:] == [
        "4", "3", "8", "62.50%", "37.50%", "50.00%", "2.43", "closed", "form", "exact"]  # fmt: skip
    assert done.stdout.count("Relative risk: ") == 3


def test_a_bad_release_is_no_matter_to_the_others():
    pd.DataFrame(LOCAL_RECODING).assign(disease="Flu").to_csv("odd.csv", index=False)
    done = run("risk", "patients.csv", *ONE, "--release", "odd.csv", "--release", "recoded.csv",
               "--sanitizer", "laplace-counts:epsilon=1", "--sanitizer", "mondrian:k=9",
               "--json", "out.json", code=2)  # fmt: skip
    assert "Relative risk: recoded.csv" in done.stdout
    first, second, third = done.stderr.splitlines()
    assert first.startswith("error: odd.csv returned 8 records with disease 'Flu' where the table")
    assert second.startswith("error: Mondrian(k=9) cannot be met")
    assert "LaplaceCounts(epsilon=1.0) publishes only counts; unveil differential" in third
    with open("out.json", encoding="utf-8") as file:
        document = json.load(file)
    assert [one["release"] for one in document["findings"]] == ["recoded.csv"]
    assert [list(one) for one in document["failed"]] == [
        ["release", "error"], ["sanitizer", "error"], ["sanitizer", "error"]]  # fmt: skip


def test_a_first_look(table):
    done = run("risk", table, *ROLES)
    for name in ("no anonymization", "Mondrian(k=2)", "Mondrian(k=20)"):
        assert name in done.stdout
    assert done.stderr == ""


def test_victims_with_and_without_the_original():
    beside = run("risk", "patients.csv", *ONE, "--release", "recoded.csv", "--victim",
                 "nationality=Malaysia", "--domain", "covered")  # fmt: skip
    alone = run("risk", *ONE, "--release", "recoded.csv", "--victim", "nationality=Malaysia")
    for done in (beside, alone):
        told = done.stdout[done.stdout.index("Victim: nationality Malaysia") :]
        assert "  Heart       0.5455  0.46 to 0.62   0.3195 " in told
    assert "--victim 'nationality=…'" in alone.stdout
    assert "at risk" not in alone.stdout


def test_a_victim_of_several_columns_without_the_original():
    zips = "zip=" + "|".join(sorted(set(PATIENTS["zip"])))
    (found,) = findings(run("risk", *BOTH, "--release", "recoded.csv", "--values", zips, *MALAYSIAN,
                            "--domain", "product", "--likelihood", "naive-bayes",
                            "--json", "-"))  # fmt: skip
    (victim,) = found["victims"]
    assert victim["who"] == {"nationality": "Malaysia", "zip": "45501"}
    beliefs = {one["value"]: one["attacker"] for one in victim["beliefs"]}
    assert (beliefs["Heart"], beliefs["Flu"]) == pytest.approx((7 / 12, 5 / 12))
    (vertical,) = findings(run("risk", *BOTH, "--anatomy", "anatomy", *MALAYSIAN, "--json", "-"))
    beliefs = {one["value"]: one["attacker"] for one in vertical["victims"][0]["beliefs"]}
    assert beliefs == {"Heart": 0.5, "Flu": 0.5, "HIV": 0, "Diabetes": 0, "Stomach": 0}


def test_a_victim_whom_nobody_covers_is_written_without_numbers():
    options = ["--domain", "product", "--victim", "nationality=China,zip=45501", "--json", "-"]
    (found,) = findings(run("risk", "patients.csv", *BOTH, "--release", "recoded.csv", *options))
    (victim,) = found["victims"]
    assert victim["covered"] is False
    assert {one["attacker"] for one in victim["beliefs"]} == {None}


def test_values_with_commas():
    frame = pd.DataFrame({"town": ["Paris, Texas", "Rome"], "s": ["x", "y"]})
    frame.to_csv("towns.csv", index=False)
    for victim in ('town="Paris, Texas"', '"town=Paris, Texas"'):
        done = run("risk", "towns.csv", "-q", "town", "-s", "s", "--sanitizer", "identity",
                   "--victim", victim)  # fmt: skip
        assert "Victim: town Paris, Texas" in done.stdout


def test_worst_lists_records():
    done = run("risk", "patients.csv", *ONE, "--release", "recoded.csv", "--worst", 2)
    people = uv.read_csv("patients.csv", quasi="nationality", sensitive="disease")
    finding = uv.relative_risk(uv.read_release("recoded.csv", people), people)
    told = done.stdout[done.stdout.index("The worst-placed under recoded.csv") :]
    for row, risk in zip(finding.worst(2)["row"], finding.worst(2)["relative_risk"], strict=True):
        assert f"{risk:.2f}  row {row + 1}: nationality {PATIENTS['nationality'][row]}; " in told
    assert "row 1:" not in run("risk", "patients.csv", *ONE, "--release", "recoded.csv").stdout


@pytest.mark.parametrize("picture", ["histogram", "scatter", "victim", "trace", "rank", None])
def test_pictures(picture, tmp_path):
    chosen = [] if picture is None else ["--picture", picture]
    done = run("risk", "patients.csv", *ONE, "--release", "recoded.csv", "--sanitizer", "identity",
               "--sampled", "--sweeps", 200, "--victim", "nationality=India", "--plot", "p.svg",
               *chosen)  # fmt: skip
    assert "picture: p.svg" in done.stdout
    assert (tmp_path / "p.svg").read_text(encoding="utf-8").lstrip().startswith("<?xml")


def test_a_picture_of_somebody_without_the_original(tmp_path):
    run("risk", *ONE, "--release", "recoded.csv", "--victim", "nationality=India", "--plot",
        "p.png")  # fmt: skip
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_chains_of_an_exact_answer_cannot_be_drawn_but_it_is_told(tmp_path):
    done = run("risk", "patients.csv", *ONE, "--release", "recoded.csv", "--plot", "p.png",
               "--picture", "rank", code=2)  # fmt: skip
    assert "Relative risk: recoded.csv" in done.stdout
    assert done.stderr == (
        "error: recoded.csv: there are no chains to draw: the answer is exact (enumeration); use "
        "--sampled to sample\n"
    )
    assert not (tmp_path / "p.png").exists()


def test_traces_are_saved(tmp_path):
    import xarray

    done = run("risk", "patients.csv", *ONE, "--release", "recoded.csv", "--sampled", "--traces",
               "traces.nc")  # fmt: skip
    assert "traces: traces.nc" in done.stdout
    with xarray.open_datatree(tmp_path / "traces.nc", engine="h5netcdf") as tree:
        assert tree.posterior["attacker"].sizes["chain"] == 4
    exact = run("risk", "patients.csv", *ONE, "--release", "recoded.csv", "--traces", "no.nc",
                code=2)  # fmt: skip
    assert "there are no traces: the answer is exact (enumeration); use --sampled" in exact.stderr


def test_traces_that_cannot_be_written_lose_nothing(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(uv.RelativeRisk, "save_traces", full)
    done = run("risk", "patients.csv", *ONE, "--release", "recoded.csv", "--sampled", "--traces",
               "t.nc", code=2)  # fmt: skip
    assert "Relative risk: recoded.csv" in done.stdout
    assert done.stderr == "error: recoded.csv: cannot write 't.nc': No space left on device\n"


def test_what_has_not_converged_says_so_first(overlapping):
    done = run("risk", *overlapping, "--sweeps", 100)
    lines = done.stdout[done.stdout.index("Relative risk: ") :].splitlines()
    assert lines[1].startswith("  NOT CONVERGED: worst R-hat ")
    assert "the limit of sweeps was reached: give more (--sweeps)." in words(done)
    compared = run("risk", *overlapping, "--sweeps", 100, "--sanitizer", "identity").stdout
    (row,) = (line for line in compared.splitlines() if line.startswith("overlapping.csv"))
    assert row.split()[-2:] == ["sampling", "NO"]


def test_an_interrupt_in_the_middle_of_the_chains(overlapping, monkeypatch):
    from unveil.attacks.relative_risk import _chains

    real, rounds = _chains._round, []

    def impatient(*args):
        rounds.append(1)
        if len(rounds) == 5:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(_chains, "_round", impatient)
    done = run("risk", *overlapping, "--sanitizer", "identity", "--rhat", 1.0001, "--victim",
               "age=30,town=Rome", code=130)  # fmt: skip
    assert "it was interrupted" in words(done)
    assert "at risk: N_L, N_A" in done.stdout
    assert "Victim:" not in done.stdout
    # Before it, perhaps, that something is compiled.
    assert done.stderr.endswith("interrupted: 0 of 2 releases were looked at to the end\n")


@pytest.mark.parametrize("when", ["finding", "victim"])
def test_an_interrupt_keeps_what_was_found(monkeypatch, when):
    real = uv.relative_risk

    def impatient(release, microdata, **options):
        if when == "finding" and release.made_by == "Identity()":
            raise KeyboardInterrupt
        return real(release, microdata, **options)

    def asked(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_risk, "relative_risk", impatient)
    if when == "victim":
        monkeypatch.setattr(uv.RelativeRisk, "victim", asked)
    done = run("risk", "patients.csv", *ONE, "--release", "recoded.csv", "--sanitizer", "identity",
               "--victim", "nationality=India", code=130)  # fmt: skip
    assert "Relative risk: recoded.csv" in done.stdout
    assert "Identity" not in done.stdout
    assert done.stderr == "interrupted: 1 of 2 releases were looked at to the end\n"


RELEASE = ["--release", "recoded.csv"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--alpha", 0], "--alpha must be a number above 0, got 0"),
        (["--beta", "-1"], "--beta must be a number above 0, got -1"),
        (["--beta", "nan"], "--beta must be a number above 0, got nan"),
        (["--rhat", 1], "--rhat must be a number above 1, got 1"),
        (["--budget", "soon"], "cannot read 'soon' as a duration"),
        (["--chains", 0], "--chains"),
        (["--likelihood", "naive"], "'naive' is not one of 'saturated', 'naive-bayes'"),
        (["--victim", "nationality=Malaysia"], "lacks zip: a victim needs a value of every"),
        (["--victim", "nationalty=India,zip=45501"], "did you mean 'nationality'?"),
        (
            ["--victim", "nationality=Indya,zip=45501"],
            "'Indya' is no value of nationality; did you",
        ),
        (["--victim", "Malaysia"], "cannot read 'Malaysia' in --victim 'Malaysia'; write column="),
        (["--victim", 'zip="4'], "has a double quote that does not end"),
        (["--victim", "zip=1,zip=2,nationality=x"], "names the column 'zip' twice"),
        (["--picture", "scatter"], "--picture says what --plot draws"),
        (["--plot", "p.png", "--picture", "victim"], "--picture victim needs somebody to draw"),
        (["--plot", "p.txt"], "must end in .png, .svg or .pdf"),
        (["--records"], "--records adds to the JSON"),
        (["--traces", "t.txt"], "--traces 't.txt' must end in .nc"),
        (["--traces", "nowhere/t.nc"], "the folder 'nowhere' does not exist"),
        (["--traces", "t.nc", "--exact"], "an exact answer has no traces"),
        (["--traces", "t.nc", "--sanitizer", "identity"], "--traces is for one release"),
        (["--sensitive-table", "secrets.csv"], "there are 0 --anatomy and 1 --sensitive-table"),
        (["--group", "g"], "--group is for the tables of --anatomy"),
        (["--values", "zip=1|2"], "--values is for a release without its original"),
        (["--sanitizer", "mondrain:k=2"], "did you mean 'mondrian'?"),
        (["--json", "patients.csv"], "is the table that is read; it would be overwritten"),
    ],
)
def test_bad_options_are_told_at_once(options, message, monkeypatch):
    monkeypatch.setattr(_risk, "relative_risk", pytest.fail)
    done = run("risk", "patients.csv", *BOTH, *RELEASE, *options, code=2)
    shown = " ".join(done.stderr.replace("│", " ").split())
    assert message in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "there is nothing to look at: give the original table as FILE, or without it what"),
        (RELEASE, "describe somebody with --victim 'nationality=…,zip=…', or give the table as"),
        ([*RELEASE, *MALAYSIAN, "--worst", 3], "--worst is about the people of the original"),
        ([*RELEASE, *MALAYSIAN, "--sanitizer", "identity"], "--sanitizer needs the table"),
        ([*RELEASE, *MALAYSIAN, "--cuts", "zip=1,2"], "--cuts is about the original table"),
        (
            [*RELEASE, *MALAYSIAN, "--plot", "p.png", "--picture", "scatter"],
            "--picture scatter is about the people of the original table",
        ),
        ([*RELEASE, *MALAYSIAN], "give them, as in --values 'zip=…|…', or give a hierarchy that"),
        ([*RELEASE, *MALAYSIAN, "--values", "zip"], "cannot read --values 'zip'; write the column"),
        (
            [*RELEASE, *MALAYSIAN, "--values", "zip=45501|45502|55503|55504|66601|77701",
             "--domain", "observed"],
            "--domain observed means the tuples of the original table, which was not given: give "
            "FILE, or use --domain product or --domain covered",
        ),
        (["--anatomy", "anatomy", *MALAYSIAN, "--values", "zip=1|2"], "--values is for"),
        (["--release", "nowhere.csv", *MALAYSIAN], "nowhere.csv"),
    ],
)  # fmt: skip
def test_without_the_original(options, message):
    done = run("risk", *BOTH, *options, code=2)
    assert message in " ".join(done.stderr.split())


def test_somebody_outside_of_the_domain():
    done = run("risk", "patients.csv", *BOTH, *RELEASE, "--victim", "nationality=China,zip=45501",
               code=2)  # fmt: skip
    assert "Relative risk: recoded.csv" in done.stdout
    assert done.stderr.endswith("no record of the table has these values together; use --domain "
                                "product\n")  # fmt: skip


def test_a_release_of_another_table(table):
    done = run("risk", table, "--quasi", "town", "--sensitive", "vote", *RELEASE, code=2)
    assert "recoded.csv" in done.stderr
    assert "column 'town' is not in" in done.stderr


def test_an_exact_answer_that_there_is_not(overlapping):
    done = run("risk", *overlapping, "--exact", code=2)
    assert "leave out --exact to sample" in done.stderr


def test_the_extra_that_traces_need(monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(_risk, "find_spec", lambda name: None if "netcdf" in name else real(name))
    done = run("risk", "patients.csv", *ONE, *RELEASE, "--traces", "t.nc", code=2)
    assert done.stderr == (
        "error: --traces needs ArviZ and NetCDF; install them with: pip install 'unveil[arviz]'\n"
    )
