"""What the docs say is true: examples run, commands exist, links lead somewhere."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import qlearn
from qlearn.interchange import READABLE
from tests.docs import PAGES, ROOT, name_of
from tests.docs.commands import COMMANDS, Line, flaw, lines
from tests.docs.examples import has_examples, renewed
from tests.docs.pictures import PICTURES, pictures
from tests.docs.reference import PAGE, example_of, reference
from tests.docs.scratch import HOME, Machine
from tests.transcripts import repaired

if TYPE_CHECKING:
    from pathlib import Path

RUN = [page for page in PAGES if has_examples(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_inside_the_repository_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            linked = page.parent / target if target else page
            assert linked.exists(), target
            assert not anchor or anchor in _anchors(linked), f"{target}#{anchor}"


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


# Command lines --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_line_is_one_that_the_program_takes(page: Path) -> None:
    found = [(line.lineno, flaw(line)) for line in lines(page.read_text(encoding="utf-8"))]
    assert [each for each in found if each[1]] == []


@pytest.mark.parametrize(
    "page",
    [
        "Run `qlearn review --explian`.",
        "Run `qlearn reveiw`.",
        "Run `qlearn list --type TYPES` or `qlearn list --type types`.",
        "`add --tittle` names it.",
        "With `--jsonn`, data.",
        "| `x` | `qlearn list --sort day` |",
        "```sh\nqlearn add x --type bug\n```",
        "```sh\nqlearn accept\n```",
        "```sh\nqlearn feedback L001\n```",
        "```sh\nqlearn review && qlearn prune --nowhere\n```",
        "```sh\nqlearn add 'no end\n```",
        "```console\n$ qlearn list --al\nL001\n```",
        "```yaml\n- run: qlearn check --strictt\n```",
        "```sh\nuvx --from . qlearn review -x\n```",
        "```sh\npython3 scripts/qlearn reviewed\n```",
        "```sh\nqlearn -q review\n```",
        "- A list:\n\n      qlearn propose x \\\n        --sure 1\n",
    ],
)
def test_a_wrong_command_line_is_found(page: str) -> None:
    assert any(map(flaw, lines(page)))


@pytest.mark.parametrize(
    "page",
    [
        "`qlearn accept` takes what `--title TEXT` and `init --client` say; `qlearn COMMAND --help` helps.",
        "```sh\nqlearn add x --type gotcha  # --nothing\nqlearn add ...\n```",
        "```sh\nqlearn list --json | jq --raw-output\n```",
        "```console\n$ qlearn add 'a; b' && git add --all\nqlearn said this --so\n```",
        "```sh\nclaude plugin install qlearn@qlearn --scope user\n```",
        "```python\nqlearn --nothing\n```",
    ],
)
def test_what_is_none_of_its_command_lines_is_left_alone(page: str) -> None:
    assert [flaw(line) for line in lines(page) if flaw(line)] == []


def test_a_line_is_told_by_its_number() -> None:
    page = "One.\n\n```sh\nqlearn review \\\n  --all\nqlearn list\n```\n"
    assert [*lines(page)] == [Line(4, "review    --all", False), Line(6, "list", False)]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_written_about(name: str) -> None:
    """In the reference, which is made of its help, and by hand in another page."""
    assert f"\n### qlearn {name}\n" in reference()
    by_hand = [page for page in PAGES if name_of(page) not in (PAGE, "CHANGELOG.md")]
    named = re.compile(rf"(?:^|qlearn |`){name}(?= |`|$)")
    assert any(
        named.search(line.text) for page in by_hand for line in lines(page.read_text(encoding="utf-8"))
    )


def test_the_readme_leads_to_every_page() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in PAGES:
        if page.is_relative_to(ROOT / "docs"):
            assert f"({name_of(page)})" in readme


def test_every_format_that_can_be_imported_is_told() -> None:
    guide = (ROOT / "docs/guides/bring-what-you-have.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| (`.*?) \|", guide, re.MULTILINE)[1:]
    assert {name for cell in told for name in re.findall("`(.*?)`", cell)} == set(READABLE)


def test_the_reference_is_what_the_program_says() -> None:
    assert (ROOT / PAGE).read_text(encoding="utf-8") == reference(), "python3 scripts/docs writes it"


# Examples -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_examples_print_what_the_page_says(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert renewed(text) == text, "python3 scripts/docs writes it"


def test_an_output_that_is_not_the_programs_is_found() -> None:
    page = "```console\n$ qlearn init\nAll is well.\n$ qlearn review\n```\n"
    assert renewed(page) == (
        f"```console\n$ qlearn init\n{HOME}/shop/.qe/learnings.md was made.\n"
        "$ qlearn review\nNo learnings yet; `qlearn add` records the first.\n```\n"
    )


def test_a_page_is_one_story_in_which_some_things_are_not_shown() -> None:
    page = (
        "<!-- setup\nmkdir .qe\nqlearn add 'Pin it'\n-->\n\n<!-- output: qlearn list --json | head -1 -->\n"
        "```json\n```\n\n- In a list:\n\n  ```console\n  $ qlearn resolve \\\n      1\n  ```\n"
    )
    assert renewed(page) == page.replace("json\n```", "json\n[\n```").replace(
        "1\n  ```", "1\n  L001 resolved: Pin it\n  ```"
    )


def test_an_output_may_hold_a_fence() -> None:
    page = "```console\n$ echo '```'\n```\n"
    once = renewed(page)
    assert once == "````console\n$ echo '```'\n```\n````\n"
    assert renewed(once) == once


ELSEWHERE = {
    "edit": "needs an editor that a person uses",
    "triage": "needs a terminal",
    "merge": "needs a merge",
    "merge-driver": "is called by git",
    "sync": "needs another machine",
    "promote": "needs two projects",
    "projects": "needs two projects",
    "migrate": "needs what an older system has left",
    "doctor": "looks at the machine",
    "init": "changes the files of clients",
}
"""Commands whose examples only parse here, and why; tests of their own run them."""


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_in_the_help_of_a_command_works(name: str, tmp_path: Path) -> None:
    example = example_of(name)
    assert example.startswith(f"qlearn {name}")
    assert flaw(Line(0, example.removeprefix("qlearn "), False)) == ""
    if name not in ELSEWHERE:
        machine = Machine(tmp_path, "help")
        (machine.project / "session.jsonl").write_text("\n".join(repaired().lines), encoding="utf-8")
        assert machine.run(f"{example} >/dev/null && echo worked").endswith("worked\n")


def test_the_pictures_show_what_the_program_prints() -> None:
    """Their texts in their colours; how rich draws a window is its own affair."""
    text = re.compile(r"<text (class=\"[^\"]*-r\d+\") .*?>(.*?)</text>")
    for path, drawn in pictures().items():
        shown = text.findall((ROOT / path).read_text(encoding="utf-8"))
        assert shown, path
        assert shown == text.findall(drawn), "python3 scripts/docs draws it"
    assert {path.stem for path in (ROOT / "docs/pictures").iterdir()} == set(PICTURES)


# Python ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_examples_in_the_interpreter_run(page: Path) -> None:
    failed, _ = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_the_example_of_the_readme_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert re.fullmatch(r"L001 [23]\.\d\d Pin the lockfile\n", done.stdout)


def test_every_public_name_can_be_had_and_is_the_one_it_stands_for() -> None:
    for name in qlearn.__all__:
        assert getattr(qlearn, name) is not None
    assert qlearn.parseLearnings is qlearn.parse_learnings
    assert set(qlearn.__all__) <= set(dir(qlearn))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = qlearn.nothing


def test_the_version_stands_in_one_place() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from qlearn.cli import main; main(['--version'])"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    version = re.search(
        r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert version is not None
    assert version[1] in done.stdout or done.returncode == 0
    plugin = (ROOT / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8")
    assert f'"version": "{version[1]}"' in plugin


def test_every_public_name_is_in_an_example_of_the_api_page() -> None:
    parsed = doctest.DocTestParser().get_examples((ROOT / "docs/api.md").read_text(encoding="utf-8"))
    words = {word for example in parsed for word in re.findall(r"\w+", example.source)}
    assert [name for name in qlearn.__all__ if name not in words] == []
