"""Migration: what is where, what goes where, and that the old folder stays as it is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from qlearn import migration, paths, project, projects
from qlearn.errors import StoreError
from qlearn.learning import parse_learnings
from tests.cli.conftest import NOW, Qlearn

ONE = '---\nid: {0}\ntrigger: "when {0}"\nconfidence: 0.7\n---\n\n# About {0}\n\n## Action\nDo {0}.\n'


class Old:
    """An old root in a home folder, and a second project that qlearn knows."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def state(self) -> dict[str, tuple[bytes, int]]:
        """The bytes and the time of each file, and the time of each folder."""
        return {
            str(path): (path.read_bytes() if path.is_file() else b"", path.stat().st_mtime_ns)
            for path in [self.root, *self.root.rglob("*")]
        }


@pytest.fixture
def user(qlearn: Qlearn) -> paths.UserPaths:
    """The user's folders, after the project was set up."""
    del qlearn
    return paths.find(os.environ)


@pytest.fixture
def other(tmp_path: Path, user: paths.UserPaths) -> project.Project:
    """Another project that qlearn knows."""
    (tmp_path / "other/.qe").mkdir(parents=True)
    found = project.find(str(tmp_path / "other"), {})
    projects.record(user, found, NOW.date())
    return found


@pytest.fixture
def old(tmp_path: Path, qlearn: Qlearn, other: project.Project) -> Old:
    """What is of all kinds: global, of this project, of the other one, of an unknown one, and waiting."""
    made = Old(tmp_path / "home/.claude/homunculus")
    here = project.find(str(qlearn.root), {})
    made.put("instincts/personal/a.yaml", ONE.format("a"))
    made.put("instincts/inherited/b.md", ONE.format("b"))
    made.put("instincts/pending/c.md", ONE.format("c"))
    made.put(f"projects/{here.id}/instincts/personal/d.yaml", ONE.format("d"))
    made.put(f"projects/{other.id}/instincts/personal/e.yaml", ONE.format("e") + "\n" + ONE.format("f"))
    made.put(f"projects/{other.id}/instincts/pending/g.yaml", ONE.format("g"))
    made.put(f"projects/{other.id}/observations.jsonl", "{}\n")
    made.put("projects/abcabcabcabc/instincts/personal/h.yaml", ONE.format("h"))
    made.put("projects/abcabcabcabc/evolved/skills/x/SKILL.md", "x")
    made.put("observations.jsonl", "{}\n")
    notes = {"abcabcabcabc": {"name": "shop", "root": "/nowhere"}, other.id: {"name": "other"}}
    made.put("projects.json", json.dumps(notes))
    return made


def test_a_root_is_taken_over_whole_once_and_not_touched(
    qlearn: Qlearn, old: Old, other: project.Project, user: paths.UserPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    before = old.state()
    code, out, err = qlearn("migrate", "--yes")
    assert (code, err) == (0, "")
    here = project.find(str(qlearn.root), {})
    rows = [line.split() for line in out.splitlines()]
    assert rows[0] == [f"{old.root}:"]
    assert ["everywhere", "1", "1", "1", user.learnings] in rows
    assert [here.id, here.id, "1", "0", "0", str(qlearn.registry)] in rows
    assert ["other", other.id, "2", "0", "1", f"{other.root}/.qe/learnings.md"] in rows
    reason = "not known: run `qlearn init` in a clone of it, then migrate again"
    assert ["shop", "abcabcabcabc", "1", "0", "0", *reason.split()] in rows
    assert out.splitlines()[-3:] == [
        "Not taken: observations.jsonl (2), evolved.",
        "1 of projects that are not known stay where they are.",
        "5 added, 0 known, 0 refused, 2 proposed.",
    ]
    assert old.state() == before
    keys = {
        path: [entry.key for entry in parse_learnings(Path(path).read_text())]
        for path in (user.learnings, str(qlearn.registry), f"{other.root}/.qe/learnings.md")
    }
    assert list(keys.values()) == [["b", "a"], ["d"], ["e", "f"]]
    assert "### P001: About c\n" in Path(user.data, "proposals.md").read_text()
    assert "### P001: About g\n" in Path(other.root, ".qe/proposals.md").read_text()

    again = qlearn("migrate", "--yes")
    assert again.out.splitlines()[-1] == "0 added, 7 known, 0 refused."
    assert old.state() == before
    assert [entry.key for entry in parse_learnings(qlearn.read())] == ["d"]


def test_a_dry_run_writes_nothing(qlearn: Qlearn, old: Old, user: paths.UserPaths) -> None:
    code, out, _ = qlearn("migrate", "--dry-run")
    assert (code, out.splitlines()[-1]) == (0, "Dry run: 5 added, 0 known, 0 refused, 2 proposed.")
    assert list((qlearn.root / ".qe").iterdir()) == []
    assert not Path(user.learnings).exists()


def test_nothing_is_written_unasked(qlearn: Qlearn, old: Old) -> None:
    code, _, err = qlearn("migrate")
    assert (code, err) == (1, "qlearn: nothing was written; --yes goes on without asking\n")
    assert list((qlearn.root / ".qe").iterdir()) == []


def test_what_was_found_is_told_as_json(qlearn: Qlearn, old: Old, other: project.Project) -> None:
    (record,) = json.loads(qlearn("migrate", "--dry-run", "--json").out)
    assert (record["root"], record["left"]) == (str(old.root), {"observations.jsonl": 2, "evolved": 1})
    assert {"project": "abcabcabcabc", "name": "shop", "personal": 1, "inherited": 0, "pending": 0,
            "registry": None, "reason": "not known: run `qlearn init` in a clone of it, then migrate again",
            } in record["places"]  # fmt: skip
    assert [each["verdict"] for each in record["outcomes"]].count("added") == 5


def test_a_named_root_is_taken_and_another_is_not(qlearn: Qlearn, old: Old, tmp_path: Path) -> None:
    named = Old(tmp_path / "named")
    named.put("instincts/personal/z.md", ONE.format("z"))
    out = qlearn("migrate", str(named.root), "--yes").out
    assert out.splitlines()[0] == f"{named.root}:"
    assert out.splitlines()[-1] == "1 added, 0 known, 0 refused."


def test_a_project_that_the_old_system_knew_is_told_where_it_is(
    qlearn: Qlearn, old: Old, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    old.put("projects.json", json.dumps({"abcabcabcabc": {"name": "shop", "root": str(tmp_path)}}))
    assert f"run `qlearn init` in {tmp_path}, then migrate again" in qlearn("migrate", "--dry-run").out


def test_without_a_root_there_is_nothing_to_migrate(qlearn: Qlearn, tmp_path: Path) -> None:
    assert qlearn("migrate") == (
        1,
        "",
        "qlearn: no ecc-homunculus and no ~/.claude/homunculus; name the folder\n",
    )
    assert qlearn("migrate", "nowhere") == (1, "", "qlearn: nowhere: no such folder\n")
    (tmp_path / "folder/empty").mkdir()
    assert qlearn("migrate", "empty").err == (
        "qlearn: empty: holds neither instincts/ nor projects/; name the folder that does\n"
    )


def test_an_empty_root_holds_nothing_and_asks_nothing(qlearn: Qlearn, tmp_path: Path) -> None:
    (tmp_path / "home/.claude/homunculus/instincts").mkdir(parents=True)
    code, out, _ = qlearn("migrate")
    assert (code, out.splitlines()[-1]) == (0, "No learnings found.")


@pytest.mark.parametrize("text", ["{", "[]", '{"a": 1}', "\udc80", "[" * 100_000])
def test_broken_notes_on_projects_hide_no_instinct(tmp_path: Path, text: str) -> None:
    old = Old(tmp_path / "root")
    old.put("projects/abc/instincts/personal/a.md", ONE.format("a"))
    (old.root / "projects.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    found = migration.look(str(old.root))
    assert [(place.id, place.name) for place in found.places] == [("abc", "abc")]
    assert [each.problem.message for each in found.passed] == ["no list of projects; they go by their ids"]


def test_both_usual_places_are_looked_at_and_a_link_is_followed_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for path in ("home/.claude/homunculus", "home/.local/share/ecc-homunculus", "data/ecc-homunculus"):
        (tmp_path / path).mkdir(parents=True)
    environ = {"HOME": str(home)}
    assert migration.find(environ) == (
        f"{home}/.local/share/ecc-homunculus",
        f"{home}/.claude/homunculus",
    )
    data = {"XDG_DATA_HOME": str(tmp_path / "data"), **environ}
    assert migration.find(data)[0] == f"{tmp_path}/data/ecc-homunculus"
    assert migration.find({"XDG_DATA_HOME": "relative", **environ}) == migration.find(environ)
    (home / ".claude/homunculus").rmdir()
    (home / ".claude/homunculus").symlink_to(home / ".local/share/ecc-homunculus")
    assert migration.find(environ) == (f"{home}/.local/share/ecc-homunculus",)
    assert migration.find({"HOME": str(tmp_path)}) == ()


def test_a_link_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    old = Old(tmp_path / "root")
    old.put("instincts/personal/a.md", ONE.format("a"))
    (tmp_path / "secret.md").write_text(ONE.format("secret"))
    (old.root / "instincts/personal/b.md").symlink_to(tmp_path / "secret.md")
    (old.root / "projects").mkdir()
    (old.root / "projects/abc").symlink_to(tmp_path)
    found = migration.look(str(old.root))
    assert [draft.old_id for place in found.places for draft in place.reading.drafts] == ["a"]
    assert found.passed[0].path == "instincts/personal/b.md"


def test_a_root_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such folder"):
        migration.look(str(tmp_path / "x"))


def test_init_tells_of_an_older_system_once(qlearn: Qlearn, old: Old) -> None:
    told = (
        f"An older system has instincts in {old.root}; `qlearn migrate --dry-run` shows what it would take.\n"
    )
    assert qlearn("init").out == f"{qlearn.registry} was made.\n{told}"
    assert qlearn("init").out == f"{qlearn.registry} is there.\n"
