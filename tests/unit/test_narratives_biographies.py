"""First names and nationalities of biographies: the rules, the counts, and a pickle that is not trusted."""

import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from raylib.errors import DataError, ModelError
from raylib.models import wheel
from raylib.studies.narratives.names.biographies import Biographies, count_biographies, specification, wikipedia
from raylib.studies.narratives.names.given_names import given_name
from raylib.studies.narratives.names.table import NameTable
from raylib.studies.narratives.names.unpickling import load_containers
from tests.names_support import biographies_or_skip


@pytest.mark.parametrize(
    ("full", "first"),
    [
        ("Ahmed Zewail", "Ahmed"),
        ("Jean-Luc Godard", "Jean-Luc"),
        ("Ka'ahumanu Smith", "Ka'ahumanu"),
        ("Albert, Duke of Prussia", "Albert"),
        ("Willem Gerrit Dedel (1726", "Willem"),
        ("'Monsewer' Eddie Gray", "Monsewer"),
        ("Sir Isaac Newton", "Isaac"),
        ("Pope Francis", "Francis"),
        ("Queen Mary of Teck", "Mary"),
        ("Prince Rogers Nelson", "Prince"),
        ("Maj Sjöwall", "Maj"),
        ("José Saramago", "José"),
        ("Shikabala", "Shikabala"),
        ("Mr. Bean", None),
        ("Lady Gaga", None),
        ("J. K. Rowling", None),
        ("B.B. King", None),
        ("Ibn Battuta", None),
        ("The Edge", None),
        ("50 Cent", None),
        ("K", None),
        ("", None),
        (", heir", None),
    ],
)
def test_first_name_of_a_full_name(full, first):
    assert given_name(full) == first


TINY = Biographies(
    source="a tiny wiki", package="tiny", version="1", file="x.pkl", sha256="0" * 64,
    races={"MENA": ("Egyptian", "Iraqi"), "NH/PI": ("Tongan",)}, absent={"MENA": ("Sahrawi",), "NH/PI": ()},
)  # fmt: skip
PEOPLE = {
    "Ahmed A": ["Egyptian"],
    "Ahmed B": ["American", "Iraqi"],
    "Ahmed C": ["Iraqi", "Egyptian"],
    "ahmed D": ["Indian"],
    "José E": ["Tongan"],
    "Jose F": ["Spanish"],
    "J. G": ["Iraqi"],
}


def row(table: NameTable, name: str) -> tuple[int, list[float]]:
    place = table.names.to_pylist().index(name)
    return int(table.people[place]), table.values[place].tolist()


def test_likelihood_is_the_share_of_a_names_biographies_with_such_a_nationality():
    table = count_biographies(PEOPLE, TINY, "f" * 64)
    assert row(table, "AHMED") == (4, [0.75, 0.0])
    assert row(table, "JOSE") == (2, [0.0, 0.5])
    assert sorted(table.names.to_pylist()) == ["AHMED", "JOSE"]
    assert table.kind == "biographies"


def test_base_rates_are_of_all_biographies_with_or_without_a_first_name():
    provenance = count_biographies(PEOPLE, TINY, "f" * 64).provenance
    assert provenance["base_rates"] == {"MENA": 4 / 7, "NH/PI": 1 / 7}
    assert (provenance["biographies"], provenance["people"], provenance["names"]) == (7, 6, 2)
    assert provenance["absent_nationalities"] == {"MENA": ["Sahrawi"], "NH/PI": []}


def test_a_demonym_that_the_source_lacks_is_an_error():
    with pytest.raises(DataError, match=r"no biography is Tongan \(NH/PI\); mend data/names/biographies\.yaml"):
        count_biographies({"Ahmed A": ["Egyptian", "Iraqi"]}, TINY, "f" * 64)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (["Ahmed A"], "must map full names to nationalities, not be a list"),
        ({}, "must map full names"),
        ({"Ahmed A": "Egyptian"}, "entry 'Ahmed A' is no full name with a list"),
        ({7: ["Egyptian"]}, "entry '7' is no full name"),
        ({"Ahmed A": []}, "'Ahmed A' has no nationality"),
        ({"Ahmed A": [3]}, "'Ahmed A' has no nationality, or one that is no word"),
    ],
)
def test_what_is_no_table_of_biographies_is_named(content, message):
    with pytest.raises(DataError, match=message):
        count_biographies(content, TINY, "f" * 64)


class Malicious:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_malicious_pickle_runs_nothing(tmp_path, protocol):
    path, witness = tmp_path / "evil.pkl", tmp_path / "witness"
    path.write_bytes(pickle.dumps({"Ahmed A": ["Egyptian"], "x": Malicious(witness)}, protocol))
    with pytest.raises(DataError, match=r"refused to read the test \(.*\): it names (posix|nt)\.system"):
        load_containers(path, "the test")
    assert not witness.exists()
    pickle.loads(path.read_bytes())  # the same bytes do harm where nothing stands in the way
    assert witness.exists()


@pytest.mark.parametrize("value", [Path("x"), NameError("x"), np.array([1]), len, object()])
def test_nothing_but_containers_and_strings_comes_out_of_a_pickle(tmp_path, value):
    path = tmp_path / "other.pkl"
    path.write_bytes(pickle.dumps([value]))
    with pytest.raises(DataError, match="only containers and strings may be in it"):
        load_containers(path, "the test")


def test_containers_and_strings_come_out_as_they_went_in(tmp_path):
    path = tmp_path / "good.pkl"
    value = {"a": ["b", "ü"], "c": [("d", 1, 2.5, None, True)], "e": {"f": {"g"}, "h": b"i"}}
    path.write_bytes(pickle.dumps(value))
    assert load_containers(path, "the test") == value


def test_a_persistent_id_is_refused(tmp_path):
    path = tmp_path / "persistent.pkl"
    path.write_bytes(b"Pid\n.")
    with pytest.raises(DataError, match=r"refused to read the test .*persistent"):
        load_containers(path, "the test")


def test_a_torn_or_missing_pickle_is_one_line(tmp_path):
    path = tmp_path / "torn.pkl"
    path.write_bytes(pickle.dumps({"a": ["b"] * 100})[:20])
    with pytest.raises(DataError, match="refused to read the test"):
        load_containers(path, "the test")
    with pytest.raises(DataError, match=r"cannot read the test .*No such file"):
        load_containers(tmp_path / "gone.pkl", "the test")


def test_a_wheel_that_is_not_the_pinned_one_is_refused_and_leaves_nothing(tmp_path, monkeypatch):
    def download(source, folder):
        with zipfile.ZipFile(folder / "name2nat-0.5.1-py3-none-any.whl", "w") as archive:
            archive.writestr("name2nat/name2nats.pkl", pickle.dumps(Malicious(tmp_path / "witness")))
        return folder / "name2nat-0.5.1-py3-none-any.whl"

    monkeypatch.setattr(wheel, "_download", download)
    with pytest.raises(ModelError, match=r"fairsweep's data/names/biographies\.yaml says cf6c45de"):
        wikipedia(tmp_path / "cache")
    assert not list((tmp_path / "cache" / "models").iterdir())
    assert not (tmp_path / "witness").exists()


def test_a_source_that_cannot_be_downloaded_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(ModelError, match=r"cannot download name2nat==0\.5\.1"):
        wikipedia(tmp_path / "cache")


@pytest.fixture(scope="module")
def real() -> NameTable:
    return biographies_or_skip()


def test_ahmed_is_mena_as_often_as_a_first_look_found(real):
    people, (mena, nh_pi) = row(real, "AHMED")
    assert (people, round(mena * people), nh_pi) == (862, 634, 0)
    assert mena == pytest.approx(0.737, abs=0.003)  # by the first word alone: 634 of 860; two more are titled
    assert mena == pytest.approx(0.712, abs=0.03)  # the paper's, from other biographies


def test_base_rates_of_the_real_source(real):
    base_rates = real.provenance["base_rates"]
    assert real.provenance["biographies"] == 1_074_617
    assert {race: round(rate * 1_074_617) for race, rate in base_rates.items()} == {"MENA": 32_072, "NH/PI": 1_720}


@pytest.mark.parametrize(
    ("name", "people", "mena", "nh_pi"),
    [
        ("SARAH", 1179, 15, 0), ("JOHN", 19068, 21, 15), ("MARIA", 2431, 9, 0), ("JUAN", 1917, 3, 0),
        ("JAMAL", 143, 54, 1), ("HIROSHI", 239, 0, 0), ("AMARI", 5, 1, 0), ("PRIYA", 36, 0, 0), ("JAMES", 8395, 10, 9),
        ("SIONE", 44, 0, 30),
    ],
)  # fmt: skip
def test_counts_of_names_by_their_first_word_and_a_few_more_behind_titles(real, name, people, mena, nh_pi):
    """The expected counts are of the first word of each entry alone, counted by another program."""
    found, shares = row(real, name)
    assert people <= found <= people * 1.04
    assert [round(share * found) for share in shares] == pytest.approx([mena, nh_pi], abs=1)


def test_turkish_names_count_too_low_since_the_source_has_no_turkish_biographies(real):
    assert real.provenance["absent_nationalities"]["MENA"] == ["Sahrawi", "Turkish"]
    assert row(real, "MEHMET") == (46, [pytest.approx(4 / 46), 0.0])


def test_every_demonym_is_a_race_once():
    wanted = specification()
    listed = [demonym for lists in (wanted.races, wanted.absent) for names in lists.values() for demonym in names]
    assert len(listed) == len(set(listed))
    assert set(wanted.races) == set(wanted.absent) == {"MENA", "NH/PI"}
