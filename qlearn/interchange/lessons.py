"""Lessons in Markdown, as people and agents keep them: LEARNINGS.md, tasks/lessons.md, GOTCHAS.md and so on.

No two files are alike. What is an entry is found from the headings:

- one with a day, an id or a tag, and all that stands below it;
- the last of a branch, if it has text of its own; if it has a list and nothing else, each bullet is one;
- a row of a table that has a column for the lesson; a line `day | category | lesson`.

The headings above an entry are its context, and may say its type. What explains the file (its format,
templates, a table of contents) is skipped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from qlearn.interchange import Draft, Passed, Reading, labels
from qlearn.interchange.body import Body, field_of, is_placeholder, is_template, kind_of, parts, read_body
from qlearn.interchange.foreign import make, read_each, skipped
from qlearn.interchange.outline import Block, Outline, Section, cells, outline, without_marker
from qlearn.interchange.titles import Title, is_struck, prefixes, read_title
from qlearn.registry import title_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

NAME = "lessons"

_FILE_NAMES = re.compile(
    r"(?:\A|/)(?:(?:agents?|claude|project)[-_]?)?"
    r"(?:learnings?|lessons?(?:[-_ ]?learned)?|gotchas?|mistakes?|pitfalls?)\.(?:md|markdown)\Z",
    re.IGNORECASE,
)
_TYPE_BY_NAME = {"mistake": "mistake", "gotcha": "gotcha", "pitfall": "gotcha", "decision": "decision"}
_LINE = re.compile(
    r"(?P<day>\S+)[ \t]*\|[ \t]*(?P<kind>[^|\n]{1,40}?)[ \t]*\|[ \t]*(?P<text>\S.*)\Z", re.DOTALL
)
_LEAD = re.compile(
    r"(?P<mark>\*\*|__)(?P<text>(?:(?!(?P=mark)).)+)(?P=mark)(?P<after>[ \t]*[:：.—–-]?)", re.DOTALL
)
_LINK = re.compile(r"\[[^\[\]\n]*\]\([^()\n]*\)[ \t]*\Z")
_TICK = re.compile(r"\[(?P<done>[ xX])\][ \t]+")
_TITLE_COLUMNS = labels.words(
    "title, topic, name, subject, what, 标题, 主题, タイトル, 件名, 제목, título, titre, заголовок, тема,"
    "назва"
)
_NAME = re.compile(r"#?[\w.-]{1,40}")
_SAY_IT = frozenset(("problem", "lesson", "rule", "decision"))
_NUMBER_COLUMNS = frozenset(("", "#", "no", "nr", "id", "№"))


class Group(NamedTuple):
    """What an entry inherits from the headings above it."""

    context: tuple[str, ...] = ()
    type: str = ""
    day: str = ""


def recognises(path: str, text: str) -> int:
    """How surely a file is one of lessons: 2 by its name, 1 where something in it looks so, else 0."""
    if not path.lower().endswith((".md", ".markdown")):
        return 0
    if _FILE_NAMES.search(path):
        return 2
    return int(bool(read({path: text}).drafts))


def read(files: Mapping[str, str]) -> Reading:
    """Read files of lessons, each by itself."""
    return read_each(files, lambda path, text: Reader(NAME, path, outline(text)).reading())


def type_in(title: str) -> str:
    """The type of learning that a group's title names, as a whole or with its last or first word."""
    words = title.split()
    candidates = (title, words[-1], words[0]) if words else ()
    return next((found for word in candidates if (found := labels.type_of(word))), "")


class Reader:
    """Collects what one file holds. The readers of kindred formats are made of it.

    Args:
        name: The format's.
        type: Of the entries that do not say theirs; by the file's name where it is "".
        lift: The roles of the parts that are lessons, the best first.
    """

    def __init__(
        self,
        name: str,
        path: str,
        found: Outline,
        *,
        type: str = "",  # noqa: A002 - the field's name
        lift: Sequence[str] = labels.LESSONS,
    ) -> None:
        self.name = name
        self.path = path
        self.lines = found.lines
        self.root = found.root
        self.drafts: list[Draft] = []
        self.passed: list[Passed] = []
        self.prefixes = prefixes(section.title for section in _all(found.root))
        stem = path.rpartition("/")[2].lower()
        self.lift = lift
        self.type = type or next((kind for word, kind in _TYPE_BY_NAME.items() if word in stem), "")

    def reading(self) -> Reading:
        """Read the file."""
        self._skip(0, self.root.start, "front matter")
        self._preamble(self.root, Group(type=self.type))
        return Reading(
            tuple(sorted(self.drafts, key=lambda draft: draft.lineno)),
            tuple(sorted(self.passed, key=lambda passed: passed.problem.lineno)),
        )

    def _preamble(self, section: Section, group: Group) -> None:
        """Read the file itself, or its only top heading: lists in it are entries if nothing else is."""
        is_file = section.level == 0 and len(section.children) == 1 and section.children[0].level == 1
        for child in section.children:
            if is_file and not self._is_single(child):
                self._skip(child.start, child.body, "title of the file")
                self._preamble(child, group)
            else:
                self._walk(child, group)
        if not self.drafts:
            self._loose(section.blocks, group)
        else:
            lists = [block for block in section.blocks if block.kind == "list"]
            self._loose([block for block in section.blocks if block.kind != "list"], group)
            for block in lists:
                self._skip_block(block, "text before the first entry")

    def _is_single(self, section: Section) -> bool:
        """Whether the heading of a file is that of its only entry."""
        title = read_title(section.title, self.prefixes)
        labelled = self._labelled(section)
        return title.marked == 2 or (labelled and not section.children and not labels.is_group(title.text))

    def _walk(self, section: Section, group: Group) -> None:
        title = read_title(section.title, self.prefixes)
        if labels.is_about_file(title.text) and title.marked < 2:
            self._about_file(section, group)
        elif is_template(section.title, ()):
            self._skip(section.start, section.body, "template")
            self._skip_all(section.blocks, "template")
            for child in section.children:
                if read_title(child.title, self.prefixes).marked == 2:
                    self._walk(child, group)
                else:
                    self._skip(child.start, child.end, "template")
        elif self._is_entry(section, title):
            self._entry(section, section.end, title, group)
        elif title.marked == 2 and title.text and self._has_text(section):
            self._entry(section, section.children[0].start, title, group)
            for child in section.children:
                self._walk(child, group)
        else:
            has_more = bool(section.children or section.blocks)
            reason = "heading of a group, kept as context" if has_more else "heading without text"
            self._skip(section.start, section.body, reason)
            self._loose(section.blocks, self.below(group, title))
            for child in section.children:
                self._walk(child, self.below(group, title))

    def _about_file(self, section: Section, group: Group) -> None:
        """Skip what explains the file; below it, entries follow behind a break or with marked headings."""
        self._skip(section.start, section.body, "format, template or contents")
        blocks = [block for each in _all(section) for block in each.blocks]
        end = next((block.end for block in blocks if block.kind == "break"), None)
        self._skip_all(section.blocks, "format, template or contents")
        for child in section.children:
            example = end is None and (
                read_title(child.title, self.prefixes).marked < 2 or "example" in labels.fold(child.title)
            )
            if example or (end is not None and child.start < end):
                self._skip(child.start, child.end, "format, template or contents")
            else:
                self._walk(child, group)

    def _is_entry(self, section: Section, title: Title) -> bool:
        """Whether a heading and all below it are one entry."""
        if not (title.text or title.old_id):
            return False
        labelled = self._labelled(section)
        if section.children:
            inner = [read_title(child.title, self.prefixes) for child in section.children]
            if any(child.marked == 2 for child in inner):
                return False
            if all(labels.role(child.title) for child in section.children):
                return True
            if title.marked == 2:
                return self._has_text(section) or not any(map(self._is_entry, section.children, inner))
            return labelled and not any(self._labelled(child) for child in section.children)
        if title.marked == 2:
            return bool(title.text or self._has_text(section))
        if not self._has_text(section):
            return False
        if labels.is_group(title.text) and not title.marked:
            return False
        kinds = {block.kind for block in section.blocks} - {"comment", "break"}
        if labelled and kinds != {"table"}:
            return True
        if kinds <= {"list", "quote"} or (kinds == {"list", "text"} and section.blocks[0].kind == "text"):
            return self._is_prose(section)
        return not self._lesson_table(section.blocks) and not self._day_lines(section)

    def _is_prose(self, section: Section) -> bool:
        """Whether a heading with a list is still one entry: it has one bullet, or text behind the list."""
        kinds = [block.kind for block in section.blocks if block.kind not in ("comment", "break")]
        count = sum(len(block.items) for block in section.blocks)
        return count == 1 or (kinds[-1] == "text") or (kinds == ["text", "list"] and self._leads_in(section))

    def _leads_in(self, section: Section) -> bool:
        """Whether the text before a list is more than an introduction of it."""
        first = next(block for block in section.blocks if block.kind == "text")
        text = " ".join(self.lines[first.start : first.end]).strip()
        return len(re.findall(r"[.!?。！？](?=\s|\Z)", text)) > 1

    def _has_text(self, section: Section) -> bool:
        return any(block.kind not in ("comment", "break") for block in section.blocks)

    def _lesson_table(self, blocks: Iterable[Block]) -> bool:
        return any(block.kind == "table" and self.columns(cells(self.lines[block.start])) for block in blocks)

    def _day_lines(self, section: Section) -> bool:
        return all(
            block.kind == "text" and bool(labels.leading_day(self.lines[block.start].strip())[0])
            for block in section.blocks
        )

    def body(self, lines: Sequence[str], title: Title) -> Body:
        """Read the text of an entry."""
        return read_body(lines, title.said(), lift=self.lift)

    def named(self, title: Title, lines: Sequence[str]) -> tuple[Title, Body]:
        """Read the text of an entry with a heading, and find its title."""
        return title, self.body(lines, title)

    def below(self, group: Group, title: Title) -> Group:
        """The group that a heading makes."""
        context = (*group.context, title.text) if title.text else group.context
        return Group(context, type_in(title.text) or group.type, title.day or group.day)

    def refusal(self, draft: Draft) -> str:  # noqa: ARG002 - for the kindred readers
        """Why what was read is no lesson, "" if it is one."""
        return ""

    def columns(self, heads: Sequence[str]) -> tuple[str, ...]:
        """What each column of a table of lessons holds; nothing where the table is none."""
        return columns_of(heads)

    # Entries --------------------------------------------------------------------------------------

    def _entry(self, section: Section, end: int, title: Title, group: Group) -> None:
        end = self._without_tail(section, end)
        lines = self.lines[section.body : end]
        title, body = self.named(title, lines)
        if is_template(section.title, parts(lines)):
            self._skip(section.start, end, "template")
        elif not (body.lesson or body.fields) and labels.says_nothing(body.rest or title.text):
            self._skip(section.start, end, "says that there is nothing")
        else:
            self._add((section.start, end), title, body, group)

    def _add(self, span: tuple[int, int], title: Title, body: Body, group: Group, learning: str = "") -> None:
        start, end = span
        while end > start + 1 and not self.lines[end - 1].strip():
            end -= 1
        stated = {**dict(title.fields), **body.fields}
        kind = stated.get("Type") or group.type or ("mistake" if "problem" in body.roles else "convention")
        context = " > ".join(group.context)
        if own := stated.get("Context"):
            context = f"{context}: {own}" if context else own
        fields = {
            "Date": title.day or group.day,
            **stated,
            "Type": kind,
            "Learning": learning or body.learning,
            "Context": context,
        }
        draft = make(
            self.name,
            self.path,
            (start + 1, end),
            title.text or title_from(body.first),
            fields,
            resolved=title.resolved or body.resolved,
            old_id=title.old_id or body.old_id,
        )
        if reason := self.refusal(draft):
            self._skip(start, end, reason)
        else:
            self.drafts.append(draft)

    def _loose(self, blocks: Sequence[Block], group: Group) -> None:
        """Read what stands under a group's heading: lists, tables and lines are entries, no other text."""
        for block in blocks:
            if block.kind == "list":
                self._list(block, group)
            elif block.kind == "table" and (columns := self.columns(cells(self.lines[block.start]))):
                self._table(block, columns, group)
            elif block.kind == "text" and labels.leading_day(self.lines[block.start].strip())[0]:
                self._text(block, group)
            else:
                self._skip_block(block, "text outside of an entry")

    def _list(self, block: Block, group: Group) -> None:
        runs = self._labelled_runs(block)
        first = runs[0][0] if runs else block.end
        for start, end in block.items:
            lines = without_marker(self.lines[start:end])
            if start >= first:
                break
            if _LINK.match(" ".join(lines).strip()):
                self._skip(start, end, "link")
            else:
                self._item(start, end, lines, group)
        for start, end in runs:
            self._run(start, end, group)

    def _labelled_runs(self, block: Block) -> list[tuple[int, int]]:
        """Where the bullets of a list are parts of entries: the lines of each."""
        heads = {start - block.start for start, _ in block.items}
        found = [
            part for part in parts(self.lines[block.start : block.end]) if part.role and part.start in heads
        ]
        if len(found) < 2 or sum(head >= found[0].start for head in heads) > len(found):
            return []
        starts = [block.start + part.start for part in found if part.role == found[0].role]
        return list(zip(starts, [*starts[1:], block.end], strict=True))

    def _run(self, start: int, end: int, group: Group) -> None:
        lines = self.lines[start:end]
        body = self.body(lines, Title(""))
        found = parts(lines)
        if is_template("", found):
            self._skip(start, end, "template")
            return
        named = next(
            (part.text for part in found if part.role in ("problem", "lesson", "rule")), body.learning
        )
        self._add((start, end), Title(title_from(named)), body, group)

    def _item(self, start: int, end: int, lines: list[str], group: Group) -> None:
        """Read one bullet, or one line, as an entry."""
        text = "\n".join(lines).strip()
        done = _TICK.match(text)
        text = text[done.end() :] if done else text
        if found := _LINE.match(text):
            day = labels.day_of(found["day"])
            if day:
                title = Title(title_from(found["text"]), day, "", (kind_of(found["kind"]),))
                body = self.body(found["text"].split("\n"), title)
                self._add((start, end), title, body, group)
                return
        title = read_title(text.split("\n", 1)[0], self.prefixes)
        rest = "\n".join([title.text, *text.split("\n")[1:]]).strip()
        if not rest or is_placeholder(rest) or is_template(rest.split("\n", 1)[0], ()):
            self._skip(start, end, "template" if rest else "empty bullet")
            return
        lead = _LEAD.match(rest)
        named = lead["text"].strip() if lead else ""
        inner = read_title(named.rstrip(":：."), self.prefixes)
        title = title._replace(
            text=inner.text or title_from(rest),
            day=title.day or inner.day,
            old_id=title.old_id or inner.old_id,
            fields=(*title.fields, *inner.fields),
            resolved=title.resolved or inner.resolved or bool(done and done["done"] != " "),
        )
        body = self.body(rest.split("\n"), title)
        nested = body.lesson and not rest.startswith(body.lesson)
        self._add((start, end), title, body, group, "" if nested or body.fields else rest)

    def _text(self, block: Block, group: Group) -> None:
        """Read a paragraph whose lines start with days."""
        starts = [
            number
            for number in range(block.start, block.end)
            if labels.leading_day(self.lines[number].strip())[0]
        ]
        for start, end in zip(starts, [*starts[1:], block.end], strict=True):
            self._item(start, end, [line.strip() for line in self.lines[start:end]], group)

    def _table(self, block: Block, columns: Sequence[str], group: Group) -> None:
        self._skip(block.start, block.start + 2, "head of a table")
        heads = cells(self.lines[block.start])
        for number in range(block.start + 2, block.end):
            row = cells(self.lines[number])
            row = [*row[: len(heads) - 1], "\n".join(row[len(heads) - 1 :])]
            values = list(zip(heads, columns, row, strict=False))
            if not any(cell for _, column, cell in values if column not in ("number", "date")) or is_template(
                "".join(row), ()
            ):
                self._skip(number, number + 1, "empty row")
                continue
            self._row(number, values, group)

    def _row(self, number: int, values: list[tuple[str, str, str]], group: Group) -> None:
        used: set[int] = set()
        old_id, named, said, over = "", "", "", False
        stated: dict[str, str] = {}
        for index, (_, column, cell) in enumerate(values):
            bare = cell.strip("*_`~ ")
            if column == "number" and not old_id and _NAME.fullmatch(bare):
                old_id = bare
                over = over or cell.startswith("~~")
                used.add(index)
            elif column in labels.META and (field := field_of(column, cell)):
                stated.setdefault(*field)
                if stated[field[0]] == field[1]:
                    used.add(index)
            elif column == "title" and not named and cell:
                named = " ".join(cell.split())
                used.add(index)
            elif column in _SAY_IT and not said:
                said = cell
        lines = [
            line
            for index, (head, _, cell) in enumerate(values)
            if cell and index not in used
            for line in f"**{head}**: {cell}".split("\n")
        ]
        title = read_title(named, self.prefixes)
        if old_id:
            same = title.old_id in ("", old_id)
            title = title._replace(text=title.text if same else named, old_id=old_id)
        stated = {label: value for label, value in stated.items() if label not in title.said()} | title.said()
        body = self.body(lines, title._replace(fields=tuple(stated.items())))
        title = title._replace(
            fields=tuple((label, value) for label, value in stated.items() if label not in ("Date", "Was")),
            day=stated.get("Date", ""),
            resolved=title.resolved or over,
        )
        if not named:
            struck = is_struck(said)
            title = title._replace(
                text=title_from(said.strip("~") if struck else said), resolved=title.resolved or struck
            )
        learning = "" if body.lesson or not named else f"{named}\n\n{body.rest}"
        self._add((number, number + 1), title, body, group, learning)

    # Lines ----------------------------------------------------------------------------------------

    def _labelled(self, section: Section) -> bool:
        return any(part.role for part in parts(self._own_lines(section)))

    def _own_lines(self, section: Section) -> Sequence[str]:
        end = section.children[0].start if section.children else section.end
        return self.lines[section.body : end]

    def _without_tail(self, section: Section, end: int) -> int:
        """Where an entry ends: before the separators, comments and the footer at the end of its section."""
        last = [each for each in _all(section) if each.start < end][-1]
        blocks = list(last.blocks)
        while blocks and blocks[-1].kind in ("break", "comment"):
            end = blocks[-1].start
            self._skip_block(blocks.pop(), "")
        breaks = [index for index, block in enumerate(blocks) if block.kind == "break"]
        if breaks and all(self._is_footer(block) for block in blocks[breaks[-1] + 1 :]):
            end = blocks[breaks[-1]].start
            self._skip_all(blocks[breaks[-1] :], "footer")
        return end

    def _is_footer(self, block: Block) -> bool:
        lines = self.lines[block.start : block.end]
        return block.kind in ("text", "quote") and not any(part.role for part in parts(lines))

    def _skip_all(self, blocks: Iterable[Block], reason: str) -> None:
        for block in blocks:
            self._skip_block(block, reason)

    def _skip_block(self, block: Block, reason: str) -> None:
        of_kind = {"break": "separator", "comment": "comment", "fence": "code outside of an entry"}
        self._skip(block.start, block.end, of_kind.get(block.kind, reason))

    def _skip(self, start: int, end: int, reason: str) -> None:
        while end > start and not self.lines[end - 1].strip():
            end -= 1
        while start < end and not self.lines[start].strip():
            start += 1
        if start < end:
            self.passed.append(skipped(self.path, start + 1, reason, self.lines[start:end]))


def columns_of(heads: Sequence[str], own: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """What each column of a table of lessons holds; nothing where the table is none.

    Args:
        own: What some heads, folded, mean in a format.
    """
    columns = []
    for head in heads:
        folded = labels.fold(head)
        found = (own or {}).get(folded) or ("number" if folded in _NUMBER_COLUMNS else "")
        found = found or ("title" if folded in _TITLE_COLUMNS else labels.role(head))
        columns.append(found or ("title" if labels.type_of(head) else ""))
    telling = {*labels.LESSONS, "problem", "title"} & {*columns}
    return tuple(columns) if telling and len({*columns} - {""}) >= 2 else ()


def _all(section: Section) -> Iterator[Section]:
    yield section
    for child in section.children:
        yield from _all(child)
