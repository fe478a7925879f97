"""`unveil relative-risk`: what it prints, writes, refuses, and how it exits."""

import functools
import importlib.util
import json

import numpy as np
import pandas as pd
import pytest
from command_line import ROLES, run
from malaysian import GROUPS, LOCAL_RECODING, PATIENTS, patients

import unveil as uv
from unveil.cli import _console, _declared
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


def risk(*typed, code=0):
    return run("relative-risk", *typed, code=code)


def words(result):
    return " ".join(result.stdout.split())


def findings(result):
    return json.loads(result.stdout)["findings"]


def test_a_release_is_told_as_the_library_tells_it():
    done = risk("patients.csv", *ONE, "--release", "recoded.csv")
    people = uv.read_csv("patients.csv", quasi="nationality", sensitive="disease")
    finding = uv.relative_risk(
        uv.read_release("recoded.csv", people, made_by="recoded.csv"), people
    )
    for line in finding.summary().splitlines():
        if not line.endswith(" s"):  # the time is another
            assert " ".join(line.split()) in words(done)
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_json_has_the_python_numbers():
    options = ["--alpha", 2, "--beta", 0.5, "--likelihood", "naive-bayes", "--domain", "product",
               "--learner", "conditional", "--ties", "fraction", "--sampler", "gibbs",
               "--exact", "never",
               "--chains", 3, "--panel", 2, "--rhat", 1.2, "--ess", 50, "--sweeps", 400,
               "--budget", "1 min", "--seed", 4, "--jobs", 1]  # fmt: skip
    (found,) = findings(risk("patients.csv", *BOTH, "--release", "recoded.csv", *options,
                            "--json", "-", "--records"))  # fmt: skip
    people = uv.read_csv("patients.csv", quasi=["nationality", "zip"], sensitive="disease",
                         categorical="zip")  # fmt: skip
    release = uv.read_release("recoded.csv", people, made_by="recoded.csv")
    again = uv.relative_risk(
        release, people, alpha=2, beta=0.5, likelihood="naive-bayes", domain="product",
        learner="conditional", ties="fraction", sampler="gibbs", exact="never", chains=3, panel=2,
        rhat=1.2, ess=50, sweeps=400, seed=4, budget="1 min",
    ).to_dict(records=True)  # fmt: skip
    assert found == json.loads(json.dumps(again))


def test_anatomy_in_a_folder_in_two_files_and_in_one():
    (folder,) = findings(risk("patients.csv", *BOTH, "--anatomy", "anatomy", "--json", "-"))
    assert folder["kind"] == "vertical"
    (two,) = findings(risk("patients.csv", *BOTH, "--anatomy", "records.csv",
                          "--sensitive-table", "secrets.csv", "--json", "-"))  # fmt: skip
    (one,) = findings(risk("patients.csv", *BOTH, "--anatomy", "shuffled.csv",
                          "--json", "-"))  # fmt: skip
    names = [found.pop("release") for found in (folder, two, one)]
    assert names == ["anatomy", "records.csv", "shuffled.csv"]
    for found in (folder, two, one):
        del found["story"]
    assert folder == two == one
    assert folder["risk"]["n_attacker"] == 4  # of two values each, by their share


def test_shuffled_values_that_are_given_as_if_they_were_not():
    pd.read_csv("shuffled.csv").to_parquet("shuffled.parquet")
    for file in ("shuffled.csv", "shuffled.parquet"):
        done = risk("patients.csv", *BOTH, "--release", file)
        assert f"Note: {file} has a column 'group', which is not used; if sensitive" in words(done)
    done = risk("patients.csv", *BOTH, "--release", "recoded.csv")
    assert "'group'" not in done.stdout


def test_columns_of_anatomy_with_other_names():
    for file in ("records.csv", "secrets.csv"):
        frame = pd.read_csv(file).rename(columns={"group": "bucket", "count": "n"})
        frame.to_csv(file, index=False)
    tables = ["--anatomy", "records.csv", "--sensitive-table", "secrets.csv"]
    done = risk("patients.csv", *BOTH, *tables, code=2)
    assert "column 'group' is not in records.csv" in done.stderr
    assert done.stderr.endswith("if it has another name, give --group\n")
    risk("patients.csv", *BOTH, *tables, "--group", "bucket", "--count", "n")


def test_several_releases_are_compared_before_each_is_told():
    done = risk("patients.csv", *BOTH, "--release", "recoded.csv", "--anatomy", "anatomy",
               "--sanitizer", "mondrian:k=4")  # fmt: skip
    table = done.stdout[: done.stdout.index("Relative risk:")].splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in table if "%" in line}
    assert list(rows) == ["recoded.csv", "anatomy", "Mondrian(k=4)"]
    assert rows["recoded.csv"] == ["12.5%", "2.43"]
    assert done.stdout.count("Relative risk: ") == 3


def test_a_bad_release_is_no_matter_to_the_others():
    pd.DataFrame(LOCAL_RECODING).assign(disease="Flu").to_csv("odd.csv", index=False)
    done = risk("patients.csv", *ONE, "--release", "odd.csv", "--release", "recoded.csv",
               "--sanitizer", "laplace-counts:epsilon=1", "--sanitizer", "mondrian:k=9",
               "--json", "out.json", code=2)  # fmt: skip
    assert "Relative risk: recoded.csv" in done.stdout
    first, second, third = done.stderr.splitlines()
    assert first.startswith("error: odd.csv returned 8 records with disease 'Flu' where the table")
    assert "LaplaceCounts(epsilon=1.0) publishes only counts; unveil differential-inf" in second
    assert third.startswith("error: Mondrian(k=9) cannot be met")
    with open("out.json", encoding="utf-8") as file:
        document = json.load(file)
    assert [one["release"] for one in document["findings"]] == ["recoded.csv"]
    assert [list(one) for one in document["failed"]] == [
        ["release", "error"], ["sanitizer", "error"], ["sanitizer", "error"]]  # fmt: skip


def test_a_first_look(table):
    done = risk(table, *ROLES)
    for name in ("no anonymization", "Mondrian(k=2)", "Mondrian(k=20)"):
        assert name in done.stdout
    assert done.stderr == ""


def test_victims_with_and_without_the_original():
    beside = risk("patients.csv", *ONE, "--release", "recoded.csv", "--victim",
                 "nationality=Malaysia", "--domain", "covered")  # fmt: skip
    alone = run(
        "relative-risk", *ONE, "--release", "recoded.csv", "--victim", "nationality=Malaysia"
    )
    for done in (beside, alone):
        told = done.stdout[done.stdout.index("Victim: nationality Malaysia") :]
        assert "  Heart        0.5455   0.46 to 0.62    0.3195 " in told
    assert "--victim" not in alone.stdout
    assert "at risk: N_L, N_A" not in alone.stdout
    nobody = risk(*ONE, "--release", "recoded.csv")
    assert "Ask about a person with --victim nationality=...." in words(nobody)


def test_a_victim_of_several_columns_without_the_original():
    zips = "zip=" + "|".join(sorted(set(PATIENTS["zip"])))
    (found,) = findings(risk(*BOTH, "--release", "recoded.csv", "--domains", zips, *MALAYSIAN,
                            "--domain", "product", "--likelihood", "naive-bayes",
                            "--json", "-"))  # fmt: skip
    (victim,) = found["victims"]
    assert victim["who"] == {"nationality": "Malaysia", "zip": "45501"}
    beliefs = {one["value"]: one["attacker"] for one in victim["beliefs"]}
    assert (beliefs["Heart"], beliefs["Flu"]) == pytest.approx((7 / 12, 5 / 12))
    (vertical,) = findings(risk(*BOTH, "--anatomy", "anatomy", *MALAYSIAN, "--json", "-"))
    beliefs = {one["value"]: one["attacker"] for one in vertical["victims"][0]["beliefs"]}
    assert beliefs == {"Heart": 0.5, "Flu": 0.5, "HIV": 0, "Diabetes": 0, "Stomach": 0}


def test_a_victim_whom_nobody_covers_is_written_without_numbers():
    options = ["--domain", "product", "--victim", "nationality=China,zip=45501", "--json", "-"]
    (found,) = findings(risk("patients.csv", *BOTH, "--release", "recoded.csv", *options))
    (victim,) = found["victims"]
    assert victim["covered"] is False
    assert {one["attacker"] for one in victim["beliefs"]} == {None}


def test_values_with_commas():
    frame = pd.DataFrame({"town": ["Paris, Texas", "Rome"], "s": ["x", "y"]})
    frame.to_csv("towns.csv", index=False)
    for victim in ('town="Paris, Texas"', '"town=Paris, Texas"'):
        done = risk("towns.csv", "-q", "town", "-s", "s", "--sanitizer", "identity",
                   "--victim", victim)  # fmt: skip
        assert "Victim: town Paris, Texas" in done.stdout


def test_worst_lists_records():
    done = risk("patients.csv", *ONE, "--release", "recoded.csv", "--worst", 2)
    people = uv.read_csv("patients.csv", quasi="nationality", sensitive="disease")
    finding = uv.relative_risk(uv.read_release("recoded.csv", people), people)
    told = words(done)[words(done).index("The worst-placed people") :]
    for row, ratio in zip(finding.worst(2)["row"], finding.worst(2)["relative_risk"], strict=True):
        who = f"nationality {PATIENTS['nationality'][row]}, disease {PATIENTS['disease'][row]}"
        assert f"row {row + 1}: {who} {ratio:.2f}" in told
    assert "row 1:" not in risk("patients.csv", *ONE, "--release", "recoded.csv").stdout


@pytest.mark.parametrize("chart", ["0", "learner", "person with", "traces", "ranks", None])
def test_pictures(chart, tmp_path):
    chosen = [] if chart is None else ["--chart", chart]
    done = risk("patients.csv", *ONE, "--release", "recoded.csv", "--sanitizer", "identity",
               "--exact", "never", "--sweeps", 200, "--victim", "nationality=India", "--plot",
               "p.svg", *chosen)  # fmt: skip
    assert "picture: p.svg" in done.stdout
    assert (tmp_path / "p.svg").read_text(encoding="utf-8").lstrip().startswith("<?xml")


def test_a_picture_of_somebody_without_the_original(tmp_path):
    risk(*ONE, "--release", "recoded.csv", "--victim", "nationality=India", "--plot",
        "p.png")  # fmt: skip
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_chains_of_an_exact_answer_cannot_be_drawn_but_it_is_told(tmp_path):
    done = risk("patients.csv", *ONE, "--release", "recoded.csv", "--plot", "p.png",
               "--chart", "ranks", code=2)  # fmt: skip
    assert "Relative risk: recoded.csv" in done.stdout
    assert done.stderr.startswith("error: recoded.csv: there is no chart 'ranks'; choose from: 0 ")
    assert not (tmp_path / "p.png").exists()


def test_traces_are_saved(tmp_path):
    import xarray

    done = risk("patients.csv", *ONE, "--release", "recoded.csv", "--exact", "never", "--traces",
               "traces.nc")  # fmt: skip
    assert "traces: traces.nc" in done.stdout
    with xarray.open_datatree(tmp_path / "traces.nc", engine="h5netcdf") as tree:
        assert tree.posterior["attacker"].sizes["chain"] == 4
    exact = risk("patients.csv", *ONE, "--release", "recoded.csv", "--traces", "no.nc",
                code=2)  # fmt: skip
    assert (
        "there are no traces: the answer is exact (enumeration); use --exact never" in exact.stderr
    )


def test_traces_that_cannot_be_written_lose_nothing(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(uv.RelativeRisk, "save_traces", full)
    done = risk("patients.csv", *ONE, "--release", "recoded.csv", "--exact", "never", "--traces",
               "t.nc", code=2)  # fmt: skip
    assert "Relative risk: recoded.csv" in done.stdout
    assert done.stderr == "error: recoded.csv: cannot write 't.nc': No space left on device\n"


def test_what_has_not_converged_says_so_first(overlapping):
    done = risk(*overlapping, "--sweeps", 100)
    lines = done.stdout[done.stdout.index("Relative risk: ") :].splitlines()
    assert lines[1].startswith("  NOT CONVERGED after 100 sweeps: worst R-hat ")
    assert "the limit of sweeps was reached; give more with --sweeps." in words(done)
    compared = risk(*overlapping, "--sweeps", 100, "--sanitizer", "identity").stdout
    compared = compared[: compared.index("Relative risk: ")]
    assert "  overlapping.csv: NOT CONVERGED" in compared


def test_an_interrupt_in_the_middle_of_the_chains(overlapping, monkeypatch):
    from unveil.attacks.relative_risk import _chains

    real, rounds = _chains._round, []

    def impatient(*args):
        rounds.append(1)
        if len(rounds) == 5:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(_chains, "_round", impatient)
    done = risk(*overlapping, "--sanitizer", "identity", "--rhat", 1.0001, "--victim",
               "age=30,town=Rome", code=130)  # fmt: skip
    assert "it was interrupted" in words(done)
    assert "at risk: N_L, N_A" in done.stdout
    assert "Victim:" not in done.stdout
    # Before it, perhaps, that something is compiled.
    assert done.stderr.endswith("interrupted: 0 of 2 releases were looked at to the end\n")


@pytest.mark.parametrize("when", ["finding", "victim"])
def test_an_interrupt_keeps_what_was_found(monkeypatch, when):
    from unveil.attacks.relative_risk import _relative_risk

    real = _relative_risk.relative_risk

    def impatient(release, microdata, **options):
        if when == "finding" and release.made_by == "Identity()":
            raise KeyboardInterrupt
        return real(release, microdata, **options)

    def asked(*_):
        raise KeyboardInterrupt

    if when == "victim":
        monkeypatch.setattr(uv.RelativeRisk, "victim", asked)
    else:
        functools.update_wrapper(impatient, real)
        monkeypatch.setattr(_relative_risk, "relative_risk", impatient)
    done = risk("patients.csv", *ONE, "--release", "recoded.csv", "--sanitizer", "identity",
               "--victim", "nationality=India", code=130)  # fmt: skip
    assert "Relative risk: recoded.csv" in done.stdout
    assert "Identity" not in done.stdout
    whole = 1 if when == "finding" else 0
    assert done.stderr == f"interrupted: {whole} of 2 releases were looked at to the end\n"


RELEASE = ["--release", "recoded.csv"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--alpha", 0], "--alpha is 0, but must be above 0"),
        (["--alpha", "1,x"], "cannot read --alpha 1,x; write a number"),
        (["--beta=-1"], "--beta -1.0 is not possible: it must be a number above 0"),
        (["--beta", "nan"], "--beta nan is not possible"),
        (["--rhat", 1], "--rhat 1.0 is not possible: it must be a number above 1"),
        (["--budget", "soon"], "cannot read 'soon' as a duration"),
        (["--chains", 0], "--chains 0 is not possible: it must be a whole number from 1 up"),
        (["--likelihood", "naive"], "--likelihood naive is not possible"),
        (["--victim", "nationality=Malaysia"], "needs a value of every quasi-identifier; 'zip' is"),
        (["--victim", "nationalty=India,zip=45501"], "did you mean 'nationality'?"),
        (["--victim", "nationality=Indya,zip=45501"], "'Indya' is not a value of 'nationality'"),
        (["--victim", "Malaysia"], "cannot read --victim Malaysia; write column=value"),
        (["--victim", 'zip="4'], "and a value with a comma in double quotes"),
        (["--victim", "zip=1,zip=2,nationality=x"], "names 'zip' twice"),
        (["--chart", "traces"], "--chart says what to draw: give the file with --plot"),
        (["--plot", "p.txt"], "must end in .png, .svg or .pdf"),
        (["--records"], "--records adds to the JSON"),
        (["--traces", "t.txt"], "--traces 't.txt' must end in .nc"),
        (["--traces", "nowhere/t.nc"], "the folder 'nowhere' does not exist"),
        (["--traces", "-"], "--traces needs a file"),
        (["--traces", "t.nc", "--sanitizer", "identity"], "--traces is for one release"),
        (["--sensitive-table", "secrets.csv"], "there are 0 --anatomy and 1 --sensitive-table"),
        (["--group", "g"], "--group is for the tables of --anatomy"),
        (["--domains", "zip=1|2"], "is for a release without its original"),
        (["--sanitizer", "mondrain:k=2"], "did you mean 'mondrian'?"),
        (["--json", "patients.csv"], "is the table that is read; it would be overwritten"),
    ],
)
def test_bad_options_are_told_at_once(options, message, monkeypatch):
    from unveil.attacks.relative_risk import _relative_risk

    for work in ("exact_answer", "run_chains"):
        monkeypatch.setattr(_relative_risk, work, pytest.fail)
    done = risk("patients.csv", *BOTH, *RELEASE, *options, code=2)
    shown = " ".join(done.stderr.replace("│", " ").split())
    assert message in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([*RELEASE, *MALAYSIAN, "--sanitizer", "identity"], "--sanitizer needs the table"),
        ([*RELEASE, *MALAYSIAN, "--cuts", "zip=1,2"], "--cuts is about the original table"),
        ([*RELEASE, *MALAYSIAN, "--domains", "zip"], "cannot read --domains zip; write it like"),
        (
            [*RELEASE, *MALAYSIAN, "--domains", "zip=45501|45502|55503|55504|66601|77701",
             "--domain", "observed"],
            "--domain observed means the tuples of the original table, which was not given: give "
            "FILE, or use --domain product or --domain covered",
        ),
        (["--anatomy", "anatomy", *MALAYSIAN, "--domains", "zip=1|2"], " is for"),
        (["--release", "nowhere.csv", *MALAYSIAN], "nowhere.csv"),
    ],
)  # fmt: skip
def test_without_the_original(options, message):
    done = risk(*BOTH, *options, code=2)
    assert message in " ".join(done.stderr.split())


def test_somebody_outside_of_the_domain():
    done = risk("patients.csv", *BOTH, *RELEASE, "--victim",
               "nationality=China,zip=45501", code=2)  # fmt: skip
    assert done.stderr.endswith("no record of the table has these values together; use --domain "
                                "product\n")  # fmt: skip


def test_a_release_of_another_table(table):
    done = risk(table, "--quasi", "town", "--sensitive", "vote", *RELEASE, code=2)
    assert "recoded.csv" in done.stderr
    assert "column 'town' is not in" in done.stderr


def test_an_exact_answer_that_there_is_not(overlapping):
    done = risk(*overlapping, "--exact", "always", code=2)
    assert "leave out --exact always to sample" in done.stderr


def test_the_extra_that_traces_need(monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        _declared, "find_spec", lambda name: None if "netcdf" in name else real(name)
    )
    done = risk("patients.csv", *ONE, *RELEASE, "--traces", "t.nc", code=2)
    assert done.stderr == (
        "error: --traces needs arviz_base and h5netcdf; install them with: pip install "
        "'unveil[arviz]'\n"
    )
