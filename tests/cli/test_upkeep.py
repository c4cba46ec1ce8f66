"""Check, fix and doctor as commands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cli.conftest import Qlearn, entry

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

FLAWED = "### No id\n\n" + entry(1, "One", date="2026-02-31") + entry(1, "One again", severity="high")


def test_check_says_when_the_block_for_other_clients_is_out_of_date(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One"))
    qlearn("export", "--format", "agents-md", "--into", "AGENTS.md")
    assert qlearn("check").out == "No problems.\n"
    qlearn.write(entry(1, "Two"))
    said = (
        "AGENTS.md:1: warning: the block of learnings is out of date; "
        "`qlearn export --format agents-md --into AGENTS.md` renews it\n"
    )
    assert qlearn("check") == (0, said, "")
    assert qlearn("check", "--strict").code == 1
    (qlearn.root / "CLAUDE.md").write_text("<!-- qlearn:end -->\n")
    code, out, _ = qlearn("check")
    assert code == 1
    assert "CLAUDE.md:1: error: line 1: not one block" in out


def test_check_names_file_and_line_and_what_to_write(qlearn: Qlearn) -> None:
    qlearn.write(FLAWED)
    qlearn.archive.write_text(entry(4, "Gone", date="tomorrow"))
    assert qlearn("check") == (
        1,
        """\
.qe/learnings.md:1: error: 'No id' has no id, so it is no entry; `qlearn fix` gives it a number
.qe/learnings.md:6: error: '2026-02-31' is no date; write YYYY-MM-DD
.qe/learnings.md:11: error: L001 stands on line 3 already; `qlearn fix` renumbers one
.qe/learnings.md:13: warning: severity 'high' is read as important; write that
.qe/learnings.archive.md:4: error: 'tomorrow' is no date; write YYYY-MM-DD
""",
        "",
    )


def test_check_of_a_good_registry_finds_nothing(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One"))
    assert qlearn("check") == (0, "No problems.\n", "")
    assert qlearn("check", "--json") == (0, "[]\n", "")


def test_check_fails_on_warnings_only_if_it_is_strict(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One", severity="high"))
    assert qlearn("check").code == 0
    assert qlearn("check", "--strict").code == 1


def test_check_knows_what_day_it_is(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One", date="2026-12-01"))
    assert qlearn("check").out == (
        ".qe/learnings.md:4: warning: 2026-12-01 is in the future and counts as today\n"
    )


def test_check_reports_bytes_and_conflicts(qlearn: Qlearn) -> None:
    qlearn.registry.write_bytes(b"<<<<<<< ours\n### L001: Caf\xe9\n>>>>>>> theirs\n")
    code, out, err = qlearn("check")
    assert (code, err) == (1, "")
    assert ".qe/learnings.md:1: error: git conflict marker; " in out
    assert ".qe/learnings.md:2: error: byte 0xe9 is not valid UTF-8; save the file as UTF-8\n" in out


def test_check_for_programs(qlearn: Qlearn) -> None:
    qlearn.write("### No id\n")
    code, out, err = qlearn("check", "--json")
    assert (code, err) == (1, "")
    assert json.loads(out) == [
        {
            "path": ".qe/learnings.md",
            "lineno": 1,
            "message": "'No id' has no id, so it is no entry; `qlearn fix` gives it a number",
            "severity": "error",
        }
    ]


def test_fix_shows_what_it_would_do_and_needs_a_yes(qlearn: Qlearn) -> None:
    qlearn.write(FLAWED)
    shown = "line 1: 'No id' becomes L002\nline 11: L001 becomes L003\n"
    assert qlearn("fix") == (1, shown, "qlearn: nothing was changed; --yes changes without asking\n")
    assert qlearn.read() == FLAWED
    assert qlearn("fix", "--yes") == (0, f"{shown}Changed 2.\n", "")
    assert "### L002: No id\n" in qlearn.read()
    assert "- **Was**: L001\n" in qlearn.read()
    assert qlearn("fix") == (0, "Nothing to fix.\n", "")


def test_fix_takes_no_number_of_the_archive(qlearn: Qlearn) -> None:
    qlearn.write("### No id\n")
    qlearn.archive.write_text(entry(9, "Gone"))
    assert qlearn("fix", "--yes").out == "line 1: 'No id' becomes L010\nChanged 1.\n"


def test_fix_changes_nothing_if_the_registry_changes_after_it_was_shown(
    qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch
) -> None:
    qlearn.write("### No id\n")

    def change_and_agree(_: str) -> bool:
        qlearn.write("### Another\n")
        return True

    monkeypatch.setattr("qlearn.cli.upkeep.interactive", lambda: True)
    monkeypatch.setattr("qlearn.cli.upkeep.confirm", change_and_agree)
    code, _, err = qlearn("fix")
    assert code == 1
    assert err == "qlearn: the registry has changed meanwhile, so nothing was written; try again\n"
    assert qlearn.read() == "### Another\n"


def test_doctor_says_what_is_wrong_with_its_cure(qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert qlearn("doctor") == (
        1,
        """\
· registry no .qe/learnings.md yet
           -> `qlearn add` records the first lesson
✗ hooks    none is registered, so no session sees the learnings
           -> `qlearn init --hooks` registers it, or install the plugin
""",
        "",
    )


def test_doctor_proves_that_the_hooks_of_init_deliver(qlearn: Qlearn) -> None:
    qlearn("init", "--hooks")
    code, out, err = qlearn("doctor", "--json")
    assert (code, err) == (0, "")
    findings = json.loads(out)
    assert {finding["topic"] for finding in findings} >= {"registry", "hooks", "delivery"}
    (delivery,) = [finding for finding in findings if finding["topic"] == "delivery"]
    assert delivery["level"] == "ok"
    assert delivery["message"].startswith(
        "a learning came through for startup, resume, clear, compact, fork; "
    )


def test_a_deep_check_takes_the_word_of_gitleaks(
    qlearn: Qlearn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    qlearn.write(entry(1, "One") + entry(2, "Two", more="- **Secret**: allowed\n"))
    said = (
        ".qe/learnings.md:1: warning: gitleaks is not in PATH, so only secrets with a known prefix were"
        " looked for; install it (https://github.com/gitleaks/gitleaks)\n"
    )
    assert qlearn("check", "--deep") == (0, said, "")
    assert qlearn("check", "--deep", "--strict").code == 1

    program = tmp_path / "bin" / "gitleaks"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", str(program.parent))
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    code, out, _ = qlearn("check", "--deep")
    assert code == 1
    assert out.endswith("gitleaks failed with exit code 1, so it has searched nothing\n")

    found = [{"File": "0.txt", "StartLine": line, "RuleID": "generic-api-key\x1b"} for line in (2, 9)]
    (tmp_path / "found.json").write_text(json.dumps(found))
    program.write_text(
        f'#!/bin/sh\nfor each; do last="$each"; done\ncp {tmp_path}/found.json "${{last#*=}}"\nexit 8\n'
    )
    code, out, _ = qlearn("check", "--deep")
    assert code == 1
    assert (
        out
        == ".qe/learnings.md:2: error: gitleaks finds a generic-api-key<U+001B>; take it out and revoke it\n"
    )
