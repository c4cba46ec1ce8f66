"""Observation, standing, promotion and projects from the command line."""

from __future__ import annotations

import datetime as dt
import json
import os
from pathlib import Path

import pytest

from qlearn import observing, paths, project
from qlearn.learning import parse_learnings
from qlearn.observation import Observation

from .conftest import NOW, Qlearn

ENTRY = (
    "### L001: Quote paths\n- **Type**: convention\n- **Date**: 2026-11-01\n- **Learning**: {}\n"
    "- **Confidence**: {}\n- **Domain**: code-style\n- **Key**: quote-paths\n\n---\n"
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> paths.UserPaths:
    """A user's folders of this test's own."""
    for name in (
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "XDG_CONFIG_HOME",
        "QLEARN_OBSERVE",
        "CLAUDE_PROJECT_DIR",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return paths.find(os.environ)


def second_project(tmp_path: Path, home: paths.UserPaths, text: str) -> Path:
    """Another project that qlearn knows."""
    root = tmp_path / "second"
    (root / ".qe").mkdir(parents=True)
    (root / ".qe/learnings.md").write_text(text)
    from qlearn import projects

    projects.record(home, project.find(str(root), {}), NOW.date())
    return root


# project, observe


def test_the_project_is_told_with_all_its_files_and_nothing_is_written(
    qlearn: Qlearn, home: paths.UserPaths
) -> None:
    told = json.loads(qlearn("project", "--json").out)
    assert told["root"] == str(qlearn.root)
    assert told["paths"]["registry"] == str(qlearn.registry)
    assert told["paths"]["ledger"].endswith(f"{told['id']}/ledger.jsonl")
    assert f"root            {qlearn.root}\n" in qlearn("project").out
    assert not Path(home.data).exists()


def test_no_project_is_told_as_such(qlearn: Qlearn, tmp_path: Path) -> None:
    told = json.loads(qlearn("-C", str(tmp_path), "project", "--json").out)
    assert (told["id"], told["root"]) == ("", "")


def test_observation_is_switched(
    qlearn: Qlearn, home: paths.UserPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "is not observed" in qlearn("observe").out
    assert not Path(home.data).exists()
    assert "is observed" in qlearn("observe", "on").out
    assert [each["root"] for each in json.loads(qlearn("projects", "--json").out)] == [str(qlearn.root)]
    assert "is observed" in qlearn("observe").out
    monkeypatch.setenv("QLEARN_OBSERVE", "0")
    assert "QLEARN_OBSERVE" in qlearn("observe").out
    assert "is not observed" in qlearn("observe", "off").out


def test_nothing_is_observed_outside_of_projects(qlearn: Qlearn, tmp_path: Path) -> None:
    for switch in ("on", "status"):
        done = qlearn("-C", str(tmp_path), "observe", switch)
        assert (done.code, done.out) == (1, "")


# status


def test_the_status_page_shows_how_sure_things_are(qlearn: Qlearn, home: paths.UserPaths) -> None:
    qlearn.write(
        ENTRY.format("Quote every path.", "0.70")
        + "\n### L002: Use pnpm\n- **Trigger**: when installing\n"
        + "- **Evidence**: seen 5, kept 2, last 2026-11-29\n\n---\n"
        + "\n### L003: Plain\n\n---\n"
    )
    qlearn("propose", "Run make gen.")
    out = qlearn("status").out
    assert "code-style  (1)" in out
    assert "███████··· 0.70  strong" in out
    assert "when installing: Use pnpm" in out
    assert "seen 5 · kept 2" in out
    assert "1 more without evidence" in out
    assert "P001  30 days left  Run make gen" in out
    assert "`qlearn observe on` starts it" in out
    assert str(qlearn.registry) in out


def test_the_status_page_tells_of_hooks_that_never_fire(qlearn: Qlearn, home: paths.UserPaths) -> None:
    qlearn("observe", "on")
    assert "no event has come" in qlearn("status").out
    here = project.find(str(qlearn.root), {})
    seen = Observation(ts="2026-11-30T08:15:00.000Z", event="PostToolUse", session="s")
    observing.append(home.project(here.id), seen, NOW)
    observing.skip(home.project(here.id), "StoreError", NOW)
    out = qlearn("status").out
    assert "1 events, the last one PostToolUse at 2026-11-30 08:15 UTC" in out
    assert "skipped: 1 × StoreError" in out


def test_the_status_is_data_too(qlearn: Qlearn) -> None:
    qlearn.write(ENTRY.format("Quote every path.", "0.95"))
    told = json.loads(qlearn("status", "--json").out)
    (entry,) = told["domains"]["code-style"]
    assert (entry["id"], entry["confidence"], entry["band"]) == ("L001", 0.95, "near certain")
    assert told["observation"] == {"on": None, "observations": 0, "last": "", "skipped": {}}


def test_the_status_of_an_empty_project_is_no_fault(qlearn: Qlearn, tmp_path: Path) -> None:
    assert "Nothing keeps evidence yet." in qlearn("status").out
    assert "outside of projects" in qlearn("-C", str(tmp_path), "status").out


# promotion


def test_what_two_projects_hold_is_promoted(qlearn: Qlearn, tmp_path: Path, home: paths.UserPaths) -> None:
    qlearn.write(ENTRY.format("Quote every path.", "0.90"))
    other = second_project(tmp_path, home, ENTRY.format("Quote paths.", "0.80"))
    shown = qlearn("promote", "--dry-run").out
    assert "quote-paths: mean confidence 0.85 in 2 projects (ready)" in shown
    assert "1. Quote every path.\n  2. Quote paths.\n" in shown
    assert qlearn("promote").code == 1
    done = qlearn("promote", "quote-paths", "--yes", "--wording", "2")
    assert done.out.endswith("quote-paths is global L001 now.\n")
    (entry,) = parse_learnings(Path(home.learnings).read_text())
    assert (entry.learning, entry.scope) == ("Quote paths.", "global")
    for text in (qlearn.read(), (other / ".qe/learnings.md").read_text()):
        assert parse_learnings(text)[0].field("Promoted") == "global L001"
    assert qlearn("promote", "--yes").err == "qlearn: nothing is ready to be promoted\n"
    assert "Quote paths" in qlearn("-g", "list").out


def test_a_wording_that_is_not_there_is_an_error(
    qlearn: Qlearn, tmp_path: Path, home: paths.UserPaths
) -> None:
    qlearn.write(ENTRY.format("Quote.", "0.90"))
    second_project(tmp_path, home, ENTRY.format("Quote.", "0.90"))
    assert "takes 1-1" in qlearn("promote", "--yes", "--wording", "2").err


def test_what_is_not_sure_enough_is_not_promoted(
    qlearn: Qlearn, tmp_path: Path, home: paths.UserPaths
) -> None:
    qlearn.write(ENTRY.format("Quote.", "0.70"))
    second_project(tmp_path, home, ENTRY.format("Quote.", "0.80"))
    done = qlearn("promote", "quote-paths", "--yes")
    assert "(not yet)" in done.out
    assert done.err == "qlearn: 'quote-paths' is not ready to be promoted\n"


# projects


def test_projects_are_listed_merged_and_forgotten(
    qlearn: Qlearn, tmp_path: Path, home: paths.UserPaths
) -> None:
    assert qlearn("projects").out == ""
    first = second_project(tmp_path, home, "")
    second_project(tmp_path / "more", home, "").rename(tmp_path / "moved")
    listed = json.loads(qlearn("projects", "--json").out)
    ids = [each["id"] for each in listed]
    assert len(ids) == 2
    assert str(first) in qlearn("projects").out
    assert qlearn("projects", "merge", ids[0]).code == 2
    assert qlearn("projects", "gc", "--yes").out == "0 forgotten.\n"
    assert qlearn("projects", "gc", "--json").out == "[]\n"
    later = qlearn("projects", "gc", "--yes", now=NOW + dt.timedelta(40))
    assert later.out.endswith("1 forgotten.\n")
    assert len(json.loads(qlearn("projects", "--json").out)) == 1


def test_two_projects_become_one(qlearn: Qlearn, tmp_path: Path, home: paths.UserPaths) -> None:
    second_project(tmp_path, home, "")
    second_project(tmp_path / "more", home, "")
    one, two = (each["id"] for each in json.loads(qlearn("projects", "--json").out))
    assert qlearn("projects", "merge", one, two).code == 1
    done = qlearn("projects", "merge", one, two, "--yes", "--json")
    assert json.loads(done.out) == {"merged": one, "into": two}
    assert [each["id"] for each in json.loads(qlearn("projects", "--json").out)] == [two]


# identity


def test_identity_is_set_piece_by_piece(qlearn: Qlearn, home: paths.UserPaths) -> None:
    assert qlearn("identity").out == "name        -\nlevel       -\nlanguages   -\n"
    assert not Path(home.data).exists()
    qlearn("identity", "--name", "Kim")
    assert "ko, en" in qlearn("identity", "--languages", "ko, en").out
    assert json.loads(qlearn("identity", "--json").out) == {"name": "Kim", "languages": ["ko", "en"]}
    qlearn("identity", "--languages", "ko,,en, ")
    qlearn("identity", "--name", "")
    assert json.loads(qlearn("identity", "--json").out) == {"languages": ["ko", "en"]}


@pytest.mark.parametrize("broken", ["{", "[1]", "null", "7", "[" * 100_000, "caf\xe9"])
def test_an_identity_that_is_none_is_told_and_left_alone(
    broken: str, qlearn: Qlearn, home: paths.UserPaths
) -> None:
    Path(home.data).mkdir(parents=True)
    Path(home.identity).write_bytes(broken.encode("latin-1"))
    for words in ([], ["--name", "Kim"]):
        done = qlearn("identity", *words)
        assert (done.code, done.out) == (1, "")
        assert "repair it" in done.err
    assert Path(home.identity).read_bytes() == broken.encode("latin-1")


def test_an_identity_of_others_making_is_shown(qlearn: Qlearn, home: paths.UserPaths) -> None:
    Path(home.data).mkdir(parents=True)
    Path(home.identity).write_text('{"languages": [1, "ko"], "level": null, "more": {"a": 1}}')
    assert qlearn("identity").out == "name        -\nlevel       -\nlanguages   1, ko\n"
    qlearn("identity", "--name", "Kim")
    assert json.loads(Path(home.identity).read_text())["more"] == {"a": 1}


def test_a_name_is_one_line_that_can_be_seen(qlearn: Qlearn, home: paths.UserPaths) -> None:
    assert qlearn("identity", "--name", "Kim\x1b[2J").code == 1
    assert not Path(home.data).exists()
    qlearn("identity", "--name", "Kim\nLee")
    assert json.loads(qlearn("identity", "--json").out) == {"name": "Kim Lee"}


# used, feedback


def test_what_helped_is_counted(qlearn: Qlearn, home: paths.UserPaths) -> None:
    qlearn.write("### L001: A\n- **Evidence**: seen 3, last 2026-11-01\n\n### L002: B\n- **Used**: 4\n")
    assert qlearn("used", "1", "L2").out == "L001 used 1 time: A\nL002 used 5 times: B\n"
    assert qlearn("feedback", "L001", "harmful").out == "L001 was harmful: A\n"
    assert qlearn("feedback", "L002", "helpful").out == "L002 was helpful: B\n"
    first, second = parse_learnings(qlearn.read())
    assert first.evidence is not None
    assert (first.used, first.evidence.kept, first.evidence.corrected) == (1, 1, 1)
    assert (second.used, second.evidence) == (5, None)
    (ledger,) = Path(home.data).glob("projects/*/ledger.jsonl")
    assert [json.loads(line)["event"] for line in ledger.read_text().splitlines()] == ["used"] * 2 + [
        "feedback"
    ] * 2


def test_what_holds_everywhere_is_named_as_it_was_shown(qlearn: Qlearn, home: paths.UserPaths) -> None:
    qlearn.write("### L001: Here\n")
    own = Path(home.data, "learnings.md")
    own.parent.mkdir(parents=True)
    own.write_text("### L001: Everywhere\n")
    assert qlearn("used", "global:L001").out == "L001 used 1 time: Everywhere\n"
    assert qlearn("feedback", "Global: 1", "helpful").out == "L001 was helpful: Everywhere\n"
    assert qlearn("-g", "used", "1").out == "L001 used 2 times: Everywhere\n"
    assert qlearn("used", "1", "L001", "global:1").out == (
        "L001 used 1 time: Here\nL001 used 3 times: Everywhere\n"
    )
    assert qlearn("used", "global:L009").code == 1
    (ledger,) = Path(home.data).glob("projects/*/ledger.jsonl")
    told = [json.loads(line)["learnings"] for line in ledger.read_text().splitlines()]
    assert told == [["global:L001"]] * 3 + [["L001"], ["global:L001"]]


def test_feedback_on_nothing_is_an_error(qlearn: Qlearn) -> None:
    qlearn.write("### L001: A\n")
    assert qlearn("used", "L009").code == 1
    assert qlearn("feedback", "L001", "nice").code == 2


@pytest.mark.parametrize("command", [("used", "L001"), ("feedback", "L001", "helpful")])
def test_what_is_ready_is_promoted_unasked_where_the_user_wants_that(
    qlearn: Qlearn, tmp_path: Path, home: paths.UserPaths, command: tuple[str, ...]
) -> None:
    qlearn.write(ENTRY.format("Quote every path.", "0.85"))
    second_project(tmp_path, home, ENTRY.format("Quote every path.", "0.85"))
    assert qlearn(*command).err == ""
    assert not Path(home.learnings).exists()
    Path(home.settings).parent.mkdir(parents=True)
    Path(home.settings).write_text('promotion = "auto"\n')
    assert qlearn(*command).err == "qlearn: quote-paths holds in several projects; it is global L001 now\n"
    (entry,) = parse_learnings(Path(home.learnings).read_text())
    assert (entry.key, entry.scope) == ("quote-paths", "global")
    assert qlearn(*command).err == ""


def test_an_accepted_proposal_can_make_a_key_ready(
    qlearn: Qlearn, tmp_path: Path, home: paths.UserPaths
) -> None:
    second_project(tmp_path, home, ENTRY.format("Quote every path.", "0.85"))
    Path(home.settings).parent.mkdir(parents=True)
    Path(home.settings).write_text('promotion = "auto"\n')
    (qlearn.root / ".qe/proposals.md").write_text(
        ENTRY.format("Quote every path.", "0.9").replace("L001", "P001")
    )
    assert qlearn("accept", "P001") == (
        0,
        "L001\n",
        "qlearn: quote-paths holds in several projects; it is global L001 now\n",
    )
