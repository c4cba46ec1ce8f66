"""Instinct files, in and out without a loss."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.interchange import Draft
from qlearn.interchange.instinct_text import joined, pieces
from qlearn.interchange.instincts import by_file, onto, read, recognises, without_private, write
from qlearn.interchange.intake import take_in
from qlearn.interchange.offering import offer
from qlearn.learning import Learning, parse_learnings
from qlearn.pending import parse_proposals
from qlearn.problems import check
from qlearn.proposals import accept_proposal, reject_proposal
from qlearn.registry import amend, reinforce, resolve

NOW = dt.datetime(2026, 12, 1, 9, tzinfo=dt.UTC)

PLAIN = """\
---
id: prefer-functional-style
trigger: "when writing new functions"
confidence: 0.7
domain: "code-style"
source: "session-observation"
scope: project
project_id: "a1b2c3d4e5f6"
project_name: "shop"
---

# Prefer functional style

## Action
Use functions where a class would have one method.

## Evidence
- Five functions were asked for where classes had been written
- Corrected on 2026-01-15
"""
PATH = "instincts/personal/prefer-functional-style.md"

FRONT_LINES = st.sampled_from(
    [
        "id: use-pnpm", "id: 'quoted id'", 'id: "빌드-먼저"', "id:", "id: 007", "id: [a, b]", "id: yes",
        "trigger: when a: b", 'trigger: "when writing \\"x\\" # no comment"', "trigger: 'it''s' # why",
        "trigger: /commit is called", "trigger: |\n  two\n  lines", "trigger: [a, b]",
        "confidence: 0.0", "confidence: nan", "confidence: .nan", "confidence: 1.5", "confidence: high",
        "confidence: 0.85   # sure", 'confidence: "0.8"', "confidence: 1", "confidence:", "confidence: true",
        "confidence: 7e-1", "confidence: +0.5", "domain: testing", 'domain: "代码"', "domain: 5",
        "source: inherited", "source: session-observation", "source: import:instincts", "source: user",
        "scope: global", "scope: team", "project_id: 123456789012", "project_id: 620c3a937ce8",
        "seen_in_projects: [a, b]", "seen_in_projects:\n- a\n- b", "promoted_date: 2026-01-02",
        "created: 2026-01-02", "created: 2026-01-02T10:00:00Z", "created: 2026-13-01", "owner: kim",
        "Owner: Kim", "# a comment", "", "notes: x", "old source: y", "original: {front: x}", "type: gotcha",
        "key: a", "title: t", "tags: [x, 'y, z']", "qlearn: {}", "qlearn: {type: decision, Key: null}",
        "qlearn: {+title: t, +resolved: true, odd: 5}", "qlearn: no", "odd key: 1", "was: L012",
        "a\u200bb: c", "hidden: a\u200bb", "---x", "- item", "  more: 1", "bad line",
    ]
)  # fmt: skip
BODY_LINES = st.sampled_from(
    [
        "# Title", "# Title #", "Title", "=====", "---", "***", "## Action", "## action ##", "### Action",
        "## Evidence", "## Examples", "### Deeper", "Do it.", "- a", "  - b", "", "", "   ", "    code",
        "```", "```yaml", "~~~", "````", "<!--", "-->", "> ## Action", "text  ", "\ttab",
        "id: a", "trigger: x", "[RESOLVED] x", "# [RESOLVED] done", "L012: no", "### L001: no entry",
        "- **Type**: gotcha", "a\u200bb", "e\u0301", "빌드를 먼저", "\u2028", "x" * 210, "confidence: 0.5",
        "- [ ] `---`", "# ", "#",
    ]
)  # fmt: skip
CHUNKS = st.builds(
    lambda front, body: "\n".join(["---", *front, "---", *body]),
    st.lists(FRONT_LINES, max_size=8),
    st.lists(BODY_LINES, max_size=12),
)
FILES = st.builds(
    lambda before, chunks, end, newline: (before + "\n".join(chunks) + end).replace("\n", newline),
    st.sampled_from(["", "\ufeff", "# Instincts export\n\n", "\ufeff\n", "Just text\n"]),
    st.lists(CHUNKS, min_size=1, max_size=3),
    st.sampled_from(["", "\n", "\n\n", " \n", "\t"]),
    st.sampled_from(["\n", "\r\n", "\r", "\r\n\n"]),
)
LINES = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=12) | st.sampled_from(
    [
        "",
        "---",
        "## Action",
        "# x",
        "id: a",
        "```",
        "- a",
        "[RESOLVED] x",
        "C #",
        "'",
        '"a"',
        "null",
        "0.50",
        "{a: 1}",
    ]
)
TEXTS = st.lists(LINES, max_size=4).map("\n".join)
LABELS = st.sampled_from(
    [
        "Type", "Severity", "Date", "Reinforced", "Learning", "Context", "Keywords", "Confidence", "Used",
        "Example", "Trigger", "Domain", "Scope", "Evidence", "Source", "Key", "Files", "Supersedes", "Was",
        "Original", "Old source", "Old evidence", "Old created", "Notes", "Notes 2", "Odd", "odd_one", "yes",
        "qlearn", "title", "created", "id", "Old x",
    ]
)  # fmt: skip
VALUES = TEXTS | st.sampled_from(
    [
        "import:instincts", "session-observation", "user", "(from instincts/personal/x.md)", "2026-01-02",
        "release (from a.md)", "0.7", "global", '{front: ["id: b"], body: ["", learning, ""]}',
        "{body: [a, b, c]}", "{newline: \"\\r\\n\", tail: ''}", "[1, 2]",
        "{marks: 5, before: x, front: 'x: ['}", "- a\n- b",
    ]
)  # fmt: skip


def registry_of(text: str, path: str = PATH) -> str:
    """A registry of a file's instincts."""
    return take_in("", read({path: text}).drafts).text


def exported(registry: str) -> str:
    return exported_from(parse_learnings(registry))


def told(entry: Draft | Learning, *, original: bool = True) -> tuple[str, bool, dict[str, str]]:
    fields = {label.lower(): value for label, value in entry.fields.items()}
    if not original:
        fields.pop("original", None)
    return entry.title, entry.resolved, fields


def as_entries(drafts: tuple[Draft, ...]) -> tuple[Learning, ...]:
    """Drafts as entries, whether or not a registry would take them."""
    return tuple(Learning(draft.number, *told(draft), 0, 0, 0) for draft in drafts)


@given(FILES | st.text(st.sampled_from("-\n\r id:x#`~<>! \ufeff"), max_size=60))
def test_a_file_is_the_sum_of_its_pieces(text: str) -> None:
    found = pieces(text)
    if found:
        assert joined(found) == text


@given(FILES)
def test_what_is_imported_and_exported_is_the_same_file(text: str) -> None:
    found = pieces(text)
    if any(without_private(piece)[1] for piece in found):
        return
    drafts = read({PATH: text}).drafts
    assert len(drafts) == len(found)
    assert exported_from(as_entries(drafts)) == text or not drafts


def exported_from(entries: tuple[Learning, ...]) -> str:
    (text,) = write("", entries).values()
    return text


@given(FILES)
def test_so_it_is_through_a_registry(text: str) -> None:
    taken = take_in("", read({PATH: text}).drafts)
    kept = [outcome.draft for outcome in taken.outcomes if outcome.verdict == "added"]
    assert [told(entry) for entry in parse_learnings(taken.text)] == [told(draft) for draft in kept]


@given(st.lists(st.tuples(LINES, st.dictionaries(LABELS, VALUES, max_size=7), st.booleans()), max_size=3))
def test_what_is_exported_and_imported_is_the_same_registry(
    given_entries: list[tuple[str, dict[str, str], bool]],
) -> None:
    drafts = [Draft(title, fields, resolved) for title, fields, resolved in given_entries]
    entries = parse_learnings(take_in("", drafts).text)
    text = exported_from(entries)
    reading = read({"elsewhere/pack.md": text})
    assert [told(draft, original=False) for draft in reading.drafts] == [
        told(entry, original=False) for entry in entries
    ]
    assert [draft.number for draft in reading.drafts] == [entry.number for entry in entries]
    assert exported_from(as_entries(reading.drafts)) == text


def test_an_instinct_becomes_an_entry() -> None:
    (draft,) = read({PATH: PLAIN}).drafts
    assert (draft.title, draft.old_id, draft.lineno, draft.last) == (
        "Prefer functional style",
        "prefer-functional-style",
        1,
        19,
    )
    assert draft.fields == {
        "Type": "convention",
        "Key": "prefer-functional-style",
        "Trigger": "when writing new functions",
        "Confidence": "0.7",
        "Domain": "code-style",
        "Source": "session-observation",
        "Scope": "project",
        "project_id": "a1b2c3d4e5f6",
        "project_name": "shop",
        "Learning": "Use functions where a class would have one method.",
        "Old evidence": PLAIN.partition("## Evidence\n")[2].rstrip(),
        "Context": f"(from {PATH})",
    }


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (PATH, "session-observation"),
        (PATH.replace("personal", "inherited"), "import:instincts"),
        ("pack.md", "import:instincts"),
    ],
)
def test_only_a_users_own_instincts_were_observed_by_the_user(path: str, source: str) -> None:
    (draft,) = read({path: PLAIN}).drafts
    assert draft.fields["Source"] == source
    assert ("Old source" in draft.fields) == (source == "import:instincts")


def test_a_plain_instinct_needs_no_field_for_how_it_is_written() -> None:
    text = registry_of(PLAIN)
    assert "Original" not in text
    assert exported(text) == PLAIN
    assert check(text, now=NOW) == ()


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_other_line_ends_and_a_byte_order_mark_are_kept(newline: str) -> None:
    text = "\ufeff" + PLAIN.replace("\n", newline)
    assert exported(registry_of(text)) == text


def test_an_edited_entry_changes_its_own_lines_only() -> None:
    odd = PLAIN.replace("confidence: 0.7", "confidence: 0.7   # so far").replace(
        "scope: project", "Scope note: mine\nscope: project"
    )
    odd = odd.replace("## Evidence", "## Why\n\nShorter.\n\n## Evidence")
    text = registry_of(odd)
    text = amend(text, "L001", title="Functions first", fields={"Trigger": "always", "Domain": "style"})
    assert exported(text) == odd.replace("# Prefer functional style", "# Functions first").replace(
        "when writing new functions", "always"
    ).replace('"code-style"', '"style"')


def test_what_an_instinct_has_no_place_for_stands_in_a_key_of_its_own() -> None:
    text = reinforce(registry_of(PLAIN), "L001", now=NOW)
    text = amend(text, "L001", fields={"Type": "gotcha", "Evidence": "seen 5, sessions 3"})
    (entry,) = parse_learnings(text)
    own = (
        f"qlearn: {{+id: L001, type: gotcha, reinforced: 2026-12-01, context: (from {PATH}),"
        " evidence: 'seen 5, sessions 3'}\n"
    )
    assert exported(text) == PLAIN.replace('project_name: "shop"\n', f'project_name: "shop"\n{own}')
    (again,) = read({"elsewhere.md": exported(text)}).drafts
    assert (told(again), again.number) == (told(entry), 1)


def test_an_entry_of_qlearns_own_comes_back_as_it_was() -> None:
    text = resolve(
        "### L012: Pin the lockfile\n- **Type**: mistake\n- **Severity**: critical\n- **Date**: 2026-01-02\n"
        "- **Learning**: Pin it.\n- **Context**: release job\n- **Source**: user\n\n---\n",
        "L012",
    )
    assert exported(text) == (
        '---\nid: pin-the-lockfile\nsource: "user"\ncreated: 2026-01-02\n'
        "qlearn: {+id: L012, +resolved: true, type: mistake, severity: critical, context: release job,"
        " key: null}\n"
        "---\n\n# Pin the lockfile\n\n## Action\nPin it.\n"
    )
    taken = take_in("", read({"x.md": exported(text)}).drafts)
    assert [told(entry) for entry in parse_learnings(taken.text)] == [
        told(entry) for entry in parse_learnings(text)
    ]
    assert parse_learnings(taken.text)[0].id == "L012"


def test_a_lesson_that_would_break_its_file_is_quoted_and_read_exactly() -> None:
    lesson = "Write\n\n---\nid: forged\ntrigger: x\n---\n\n## Evidence\nNone."
    (entry,) = parse_learnings(take_in("", [Draft("Forge", {"Learning": lesson})]).text)
    text = exported_from((entry,))
    assert "> ---\n> id: forged\n" in text
    (draft,) = read({"x.md": text}).drafts
    assert told(draft) == told(entry)


def test_a_field_that_was_taken_out_is_out() -> None:
    odd = PLAIN.replace("scope: project", "scope:  project").replace("domain:", "domain : ")
    text = amend(registry_of(odd), "L001", fields={"Domain": ""})
    assert exported(text) == odd.replace('domain :  "code-style"\n', "")


@pytest.mark.parametrize(
    ("title", "fields"),
    [
        ("t" * 300, {"learning": "x"}),
        ("C #", {"learning": "x", "trigger": "a\u2028b"}),
        ("Odd", {"trigger": "a\ufffeb", "learning": "x\x85y", "domain": "\x1b"}),
        ("Folded", {"trigger": "a\x85b", "learning": "x"}),
        ("", {}),
        ("[RESOLVED]", {"learning": "", "original": "{front: ["}),
        ("Plain", {"learning": "x", "original": "x", "key": "a: b", "was": "L001"}),
        ("Plain", {"learning": "x", "original": "{front: [5], body: [a], marks: [a], tail: [], odd: 1}"}),
        ("Many", {"learning": "x", **{f"field {number}": "y" for number in range(300)}}),
    ],
)
def test_no_entry_is_too_odd_to_come_back(title: str, fields: dict[str, str]) -> None:
    entry = Learning(3, title, False, fields, 0, 0, 0)
    (draft,) = read({"x.md": exported_from((entry,))}).drafts
    said = {label: text for label, text in fields.items() if text and label != "original"}
    assert told(draft, original=False) == (title, False, said)


def test_confidences_out_of_range_are_reported_kept_and_not_used() -> None:
    text = "".join(
        f"---\nid: {word}\nconfidence: {word}\n---\nDo {word}.\n\n" for word in ("nan", "1.5", "high")
    )
    reading = read({"a.md": text + "---\nid: zero\nconfidence: 0.0\n---\nDo zero.\n"})
    assert [each.problem.message for each in reading.passed] == [
        f"confidence {word} is no number of 0-1; it was kept and not used" for word in ("nan", "1.5", "high")
    ]
    assert [draft.fields.get("Confidence") for draft in reading.drafts] == [None, None, None, "0.0"]
    assert [draft.fields.get("Old confidence") for draft in reading.drafts] == ["nan", "1.5", "high", None]


def test_values_that_are_no_value_of_their_field_are_reported_and_kept() -> None:
    text = "---\nid: a\ntrigger: [x, y]\nscope: team\ncreated: yesterday\ndomain: 5\n---\nDo it.\n"
    reading = read({"a.md": text})
    assert [each.problem.message for each in reading.passed] == [
        "scope team is neither project nor global; it was kept and not used",
        "created yesterday is no day; it was kept and not used",
    ]
    fields = reading.drafts[0].fields
    assert (fields["Old trigger"], fields["Old scope"], fields["created"], fields["Old domain"]) == (
        "[x, y]",
        "team",
        "yesterday",
        "5",
    )


def test_what_is_about_one_machine_is_left_out_and_reported() -> None:
    private = (
        "imported_from: /home/kim/pack.yaml\nproject_root: ./here\nremote: github.com/kim/secret\n"
        "source_repo: https://kim:token@github.com/a/b\nseen_in:\n- C:\\work\nroots: {a: ~/x}\n"
    )
    text = PLAIN.replace("scope: project\n", f"scope: project\n{private}source: https://github.com/a/b\n")
    reading = read({PATH: text})
    assert [each.problem.message.split(" ")[0] for each in reading.passed] == [
        "imported_from", "project_root", "remote", "source_repo", "seen_in", "roots",
    ]  # fmt: skip
    assert exported_from(as_entries(reading.drafts)) == text.replace(private, "")


def test_two_with_one_id_are_both_kept_and_named() -> None:
    text = "---\nid: a\n---\nOne.\n\n---\nid: a\n---\nTwo.\n"
    reading = read({"a.md": text})
    assert [(each.problem.lineno, each.problem.message) for each in reading.passed] == [
        (6, "the id a stands on line 1 already")
    ]
    registry = registry_of(text, "a.md")
    assert [entry.learning for entry in parse_learnings(registry)] == ["One.", "Two."]
    assert exported(registry) == text


def test_an_instinct_whose_front_matter_is_broken_is_named_and_hides_no_other() -> None:
    text = "---\nid: a\n---\nOne.\n\n---\nid: b\nnonsense\n---\nTwo.\n\n---\nid: c\n---\nThree.\n"
    reading = read({"a.md": text})
    assert [draft.old_id for draft in reading.drafts] == ["a", "c"]
    assert [(each.problem.lineno, each.problem.message) for each in reading.passed] == [
        (6, "front matter that can't be read; it was taken for text of the one before")
    ]
    assert exported(registry_of(text)) == text


def test_an_instinct_that_no_registry_can_hold_is_named_and_hides_no_other() -> None:
    deep = "x\n" + "- " * 9 + "y"
    reading = read({"a.md": f"---\nid: a\n---\n{deep}\n\n---\nid: b\n---\nTwo.\n"})
    assert [draft.old_id for draft in reading.drafts] == ["b"]
    assert [
        (each.problem.lineno, each.problem.message, each.problem.severity) for each in reading.passed
    ] == [
        (
            1,
            "the learning nests lists deeper than Markdown readers look; flatten it; it was not read",
            "error",
        )
    ]


def test_a_fence_that_nothing_closes_ends_with_its_instinct() -> None:
    text = "---\nid: a\n---\n```sh\nrun\n\n---\nid: b\n---\n<!-- open\n\n---\nid: c\n---\nThree.\n"
    assert [draft.old_id for draft in read({"a.md": text}).drafts] == ["a", "b", "c"]


@pytest.mark.parametrize("mark", [("```", "```"), ("~~~~", "~~~~~"), ("<!--", "-->"), ("- ```", "  ```")])
def test_what_stands_in_a_fence_or_a_comment_starts_no_instinct(mark: tuple[str, str]) -> None:
    text = f"---\nid: a\n---\nSee:\n\n{mark[0]}\n---\nid: b\n---\n## Action\n{mark[1]}\nEnd.\n"
    (draft,) = read({"a.md": text}).drafts
    assert draft.fields["Learning"].endswith("End.")
    assert len(read({"a.md": text}).passed) == 0


def test_front_matter_that_goes_on_for_too_long_is_none() -> None:
    text = "---\nid: a\n" + "# x\n" * 300 + "---\n"
    assert [each.problem.message for each in read({"a.md": text}).passed] == [
        "no instinct: no front matter with an id"
    ]


@pytest.mark.parametrize(
    ("path", "text", "sure"),
    [
        ("a.md", PLAIN, 2),
        ("a.yaml", "\ufeff" + PLAIN.replace("\n", "\r\n"), 2),
        ("a.md", "---\ntrigger: x\n---\n", 1),
        ("a.txt", PLAIN, 0),
        ("a.md", "trigger: x\n", 0),
        ("a.md", "# Notes\n", 0),
    ],
)
def test_a_file_is_recognised_by_its_front_matter(path: str, text: str, sure: int) -> None:
    assert recognises(path, text) == sure


def test_importing_twice_adds_nothing_and_a_change_is_named() -> None:
    text = registry_of(PLAIN)
    assert [outcome.verdict for outcome in take_in(text, read({PATH: PLAIN}).drafts).outcomes] == ["known"]
    changed = take_in(text, read({PATH: PLAIN.replace("one method", "no state")}).drafts)
    assert [(each.verdict, each.id, each.reason) for each in changed.outcomes] == [
        ("changed", "L001", "Learning changed since it was imported")
    ]


def test_two_packs_imported_at_once_both_stay() -> None:
    other = PLAIN.replace("prefer-functional-style", "other").replace("functions where", "classes where")
    text = registry_of(PLAIN, "one/pack.md")
    text = take_in(text, read({"two/pack.md": other}).drafts).text
    assert [entry.key for entry in parse_learnings(text)] == ["prefer-functional-style", "other"]


def test_an_export_onto_a_file_changes_one_and_keeps_the_bytes_of_the_others() -> None:
    head = "# By hand\n\n"
    first = PLAIN.replace("confidence: 0.7", "confidence:   0.7")
    second = "---\nid:  b\n---\n\nTwo.   \n\n\n"
    third = "---\nid: mine\n---\nNot in the registry.\n"
    there = head + first + "\n" + second + third
    text = registry_of(first + "\n" + second)
    assert onto(there, parse_learnings(text)) == there
    text = amend(text, "L002", title="Three", fields={"Learning": "Three."})
    assert onto(there, parse_learnings(text)) == there.replace("Two.", "Three.")
    text = take_in(text, [Draft("New", {"Learning": "New one."})]).text
    assert onto(there.replace("\n", "\r\n"), parse_learnings(text)) == (
        there.replace("Two.", "Three.")
        + "\n---\nid: new\nqlearn: {+id: L003, key: null}\n---\n\n# New\n\n## Action\nNew one.\n"
    ).replace("\n", "\r\n")
    assert onto(onto(there, parse_learnings(text)), parse_learnings(text)) == onto(
        there, parse_learnings(text)
    )


def test_private_keys_stay_in_a_file_that_is_written_over() -> None:
    there = PLAIN.replace("scope: project\n", "scope: project\nimported_from: /home/kim/a.md\n")
    assert onto(there, parse_learnings(registry_of(there))) == there


def test_the_files_of_a_folder_are_those_that_were_imported() -> None:
    drafts = [
        *read({"home/instincts/personal/a.yaml": PLAIN}).drafts,
        *read({"home/projects/abc/instincts/pending/b.md": PLAIN.replace("one method", "b")}).drafts,
        *read({"sub/pack.md": PLAIN.replace("one method", "c")}).drafts,
        Draft("Own/one: é", {"Learning": "d"}),
        Draft("own one é", {"Learning": "e"}),
        Draft("!", {"Learning": "?"}),
    ]
    entries = parse_learnings(take_in("", drafts).text)
    assert list(by_file(entries)) == [
        "instincts/personal/a.yaml",
        "projects/abc/instincts/personal/b.md",
        "instincts/inherited/sub-pack.md",
        "instincts/personal/own-one-é.md",
        "instincts/personal/own-one-é-2.md",
        "instincts/personal/instinct.md",
    ]


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("CLAUDE.md", "instincts/inherited/CLAUDE.md"),
        ("../x.md", "instincts/personal/k.md"),
        ("/etc/x.md", "instincts/inherited/-etc-x.md"),
        ("instincts/personal/../../x.md", "instincts/personal/k.md"),
        ("projects/../instincts/personal/x.md", "instincts/personal/k.md"),
        ("instincts/personal/.hidden.md", "instincts/personal/k.md"),
        ("instincts/personal/a:b.md", "instincts/personal/k.md"),
        ("notes.txt", "instincts/personal/k.md"),
    ],
)
def test_no_entry_names_a_file_out_of_the_layout(path: str, file: str) -> None:
    fields = {"Learning": "x", "Key": "k", "Context": f"(from {path})", "Source": "import:instincts"}
    entries = parse_learnings(take_in("", [Draft("t", fields)]).text)
    assert list(by_file(entries)) == [file]


# What waited for a yes


def waiting() -> list[Draft]:
    text = PLAIN.replace("scope: project", "scope: project\ncreated: 2025-01-01")
    return list(read({"instincts/pending/a.md": text}).drafts)


def test_what_waited_is_proposed_today_and_accepted_later() -> None:
    (draft,) = waiting()
    assert (draft.waits, "Date" in draft.fields, draft.fields["created"]) == (True, False, "2025-01-01")
    offered = offer("", [draft], now=NOW)
    assert [(each.verdict, each.id) for each in offered.outcomes] == [("proposed", "P001")]
    (pending,) = parse_proposals(offered.text)
    assert pending.days_left(NOW.date()) == 30
    accepted = accept_proposal(offered.text, "", "P001", now=NOW)
    (entry,) = parse_learnings(accepted.registry)
    assert (entry.key, entry.source, entry.field("Old source")) == (
        "prefer-functional-style",
        "import:instincts",
        "session-observation",
    )
    assert list(by_file([entry])) == ["instincts/personal/a.md"]


def test_what_was_proposed_rejected_or_is_known_is_not_proposed_again() -> None:
    drafts = waiting()
    offered = offer("", [*drafts, *drafts], now=NOW)
    assert [each.verdict for each in offered.outcomes] == ["proposed", "known"]
    again = offer(offered.text, drafts, now=NOW)
    assert (again.text, again.outcomes[0].reason) == (offered.text, "waits already")
    rejected = reject_proposal(offered.text, "P001", now=NOW)
    assert offer(rejected, drafts, now=NOW).outcomes[0].reason == "was rejected"
    registry = registry_of(PLAIN)
    assert offer("", drafts, now=NOW, registry=registry).outcomes[0].reason == "stands there already"
    assert offer("", drafts, now=NOW, archive=registry).outcomes[0].reason == "stands in the archive"


def test_a_secret_is_not_proposed() -> None:
    drafts = read({"pending/a.md": PLAIN.replace("one method", "ghp_" + "a1B2" * 9)}).drafts
    (outcome,) = offer("", drafts, now=NOW).outcomes
    assert (outcome.verdict, outcome.id) == ("refused", "")
    assert "github-token" in outcome.reason


def test_two_with_one_id_are_known_when_they_are_imported_again() -> None:
    text = "---\nid: a\n---\nOne.\n\n---\nid: a\n---\nTwo.\n"
    registry = registry_of(text, "a.md")
    again = take_in(registry, read({"a.md": text}).drafts)
    assert [(each.verdict, each.id) for each in again.outcomes] == [("known", "L001"), ("known", "L002")]
    changed = take_in(registry, read({"a.md": text.replace("Two.", "Three.")}).drafts)
    assert [(each.verdict, each.id) for each in changed.outcomes] == [("known", "L001"), ("changed", "L002")]


def test_what_is_about_one_machine_or_gives_access_is_not_exported() -> None:
    text = (
        "### L001: Quote paths\n- **Learning**: Quote every path.\n- **Key**: quote\n- **team**: blue\n"
        "- **source_repo**: https://kim:secret@example.com/x\n- **project_root**: /home/kim/x\n"
    )
    entries = parse_learnings(text)
    for written in (write(text, entries)["instincts.md"], onto("", entries)):
        assert "team: blue" in written
        assert not any(leak in written for leak in ("secret", "/home/kim", "source_repo", "project_root"))
