"""Random histories of a project's memory: a base, and sides that change it as people and commands do.

Everything that is written carries a mark of its own (`k7` for a lesson, `a3` for the third edit of side a),
so that what became of it can be told from the text alone. A history knows what its texts mean; what a merge
of two of them has to mean follows from that by rules that are written down here once more, apart from qlearn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

HEADER = "# Learning Registry\n\n---\n"
ARCHIVE_HEADER = "# Learning Archive\n\n---\n"
BOM = "\ufeff"

Value = tuple[str, str]


class Lesson(NamedTuple):
    """An entry; `fields` are labels and values in the order in which they stand, without Was."""

    mark: str
    number: int
    title: str
    resolved: bool
    fields: tuple[Value, ...]
    loose: str = ""
    ruled: bool = True

    def field(self, label: str) -> str:
        return dict(self.fields).get(label, "")

    def with_field(self, label: str, value: str) -> Lesson:
        """Set a field in its place, or put it last; take it out where *value* is empty."""
        pairs = [(known, value if known == label else old) for known, old in self.fields]
        if not self.field(label):
            pairs.append((label, value))
        return self._replace(fields=tuple(pair for pair in pairs if pair[1]))

    def body(self) -> str:
        title = f"[RESOLVED] {self.title}" if self.resolved else self.title
        lines = [f"### L{self.number:03d}: {title}\n"]
        lines += [f"- **{label}**: {value}\n" for label, value in self.fields]
        return "".join(lines) + self.loose


class Side:
    """A registry and its archive as one side has them."""

    def __init__(self, name: str, pieces: list[Lesson | str], archive: list[Lesson]) -> None:
        self.name = name
        self.pieces = pieces
        self.archive = archive
        self.ending = "\n"
        self.bom = False
        self.ended = True
        self.serial = 0

    def fork(self, name: str) -> Side:
        side = Side(name, [*self.pieces], [*self.archive])
        side.ending, side.bom, side.ended = self.ending, self.bom, self.ended
        return side

    def lessons(self) -> dict[str, Lesson]:
        return {piece.mark: piece for piece in self.pieces if isinstance(piece, Lesson)}

    def lesson(self, at: int) -> Lesson:
        piece = self.pieces[at]
        assert isinstance(piece, Lesson)
        return piece

    def next_number(self) -> int:
        return max((lesson.number for lesson in (*self.lessons().values(), *self.archive)), default=0) + 1

    def registry(self) -> str:
        return self._formed(_written(self.pieces))

    def archived(self) -> str:
        return _written([ARCHIVE_HEADER, *self.archive]) if self.archive else ""

    def _formed(self, text: str) -> str:
        if not self.ended:
            text = text.removesuffix("\n")
        return self.bom * BOM + text.replace("\n", self.ending)

    def new_mark(self) -> str:
        self.serial += 1
        return f"{self.name}{self.serial}"


def _written(pieces: list[Lesson | str]) -> str:
    written = []
    for at, piece in enumerate(pieces):
        if isinstance(piece, str):
            written.append(piece)
            continue
        following = pieces[at + 1] if at + 1 < len(pieces) else ""
        absorbs = isinstance(following, str) and following and not following.startswith("#")
        written.append(piece.body() + ("\n---\n" if piece.ruled or absorbs else ""))
    return "\n".join(written)


# What sides do ------------------------------------------------------------------------------------


def _day(random: Random) -> str:
    return f"2026-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}"


def _lesson(side: Side, random: Random) -> Lesson:
    mark = f"k{side.new_mark()}"
    fields = [
        ("Type", random.choice(("mistake", "gotcha"))),
        ("Severity", random.choice(("critical", "info"))),
        ("Date", _day(random)),
        ("Learning", f"lesson {mark}"),
    ]
    if random.random() < 0.3:
        fields.append(("Context", f"{mark} at work"))
    if random.random() < 0.2:
        fields.append(("Used", str(random.randint(1, 9))))
    if random.random() < 0.1:
        fields.append(("Example", f"\n  ```\n  {mark} ### L001: no entry\n\n  ---\n  ```"))
    if random.random() < 0.1:
        fields.append(("Evidence", "seen 3, sessions 2, kept 1, last 2026-01-15"))
    if random.random() < 0.1:
        fields.append(("Owner", f"{mark} team"))
    loose = f"\n> {mark} said by hand\n" if random.random() < 0.1 else ""
    return Lesson(
        mark, side.next_number(), f"title {mark}", False, tuple(fields), loose, random.random() < 0.9
    )


def add(side: Side, random: Random) -> None:
    """Put a lesson at the end, as commands do."""
    side.pieces.append(_lesson(side, random))


def add_by_hand(side: Side, random: Random) -> None:
    """Put a lesson anywhere below the header."""
    side.pieces.insert(random.randint(1, len(side.pieces)), _lesson(side, random))


def _pick(side: Side, random: Random) -> int | None:
    """The place of a lesson; both sides like the first ones best."""
    places = [at for at, piece in enumerate(side.pieces) if isinstance(piece, Lesson)]
    return places[int(len(places) * random.random() ** 3)] if places else None


def _change(side: Side, random: Random, how: Callable[[Lesson], Lesson]) -> None:
    at = _pick(side, random)
    if at is not None:
        side.pieces[at] = how(side.lesson(at))


def _new_text(side: Side, random: Random) -> str:
    """What an edit writes; now and then the other side writes the same."""
    return "again" if random.random() < 0.1 else side.new_mark()


def rewrite(side: Side, random: Random) -> None:
    text = _new_text(side, random)
    label = random.choice(("Learning", "Learning", "Learning", "Context", "Owner"))
    _change(side, random, lambda lesson: lesson.with_field(label, f"{label.lower()} {lesson.mark} {text}"))


def retitle(side: Side, random: Random) -> None:
    text = _new_text(side, random)
    _change(side, random, lambda lesson: lesson._replace(title=f"title {lesson.mark} {text}"))


def take_field_out(side: Side, random: Random) -> None:
    label = random.choice(("Context", "Owner", "Used", "Example", "Severity"))
    _change(side, random, lambda lesson: lesson.with_field(label, ""))


def reinforce(side: Side, random: Random) -> None:
    day = _day(random)
    _change(side, random, lambda each: each.with_field("Reinforced", max(day, each.field("Reinforced"))))


def use(side: Side, random: Random) -> None:
    # Each side counts in its own unit: equal changes on both sides are one change.
    unit = 10 ** (ord(side.name[0]) - ord("a"))
    _change(
        side, random, lambda lesson: lesson.with_field("Used", str(int(lesson.field("Used") or 0) + unit))
    )


def meet(side: Side, random: Random) -> None:
    """Count an encounter as evidence."""
    unit = 10 ** (ord(side.name[0]) - ord("a"))
    month = random.randint(2, 12)

    def counted(lesson: Lesson) -> Lesson:
        evidence = lesson.field("Evidence") or "seen 0, sessions 0, kept 0, last 2026-01-01"
        seen, sessions, kept = (int(part.split()[1]) for part in evidence.split(", ")[:3])
        value = f"seen {seen + unit}, sessions {sessions + unit}, kept {kept}, last 2026-{month:02d}-15"
        return lesson.with_field("Evidence", value)

    _change(side, random, counted)


def resolve(side: Side, random: Random) -> None:
    _change(side, random, lambda lesson: lesson._replace(resolved=not lesson.resolved))


def write_below(side: Side, random: Random) -> None:
    mark = side.new_mark()
    _change(side, random, lambda lesson: lesson._replace(loose=f"\n> {lesson.mark} {mark} by hand\n"))


def prune(side: Side, random: Random) -> None:
    at = _pick(side, random)
    if at is not None:
        side.archive.append(side.lesson(at).with_field("Pruned", _day(random))._replace(ruled=True))
        del side.pieces[at]


def change_archived(side: Side, random: Random) -> None:
    if side.archive:
        at = random.randrange(len(side.archive))
        lesson = side.archive[at]
        side.archive[at] = lesson.with_field("Learning", f"learning {lesson.mark} {_new_text(side, random)}")


def move(side: Side, random: Random) -> None:
    at = _pick(side, random)
    if at is not None:
        lesson = side.pieces.pop(at)
        side.pieces.insert(random.randint(1, len(side.pieces)), lesson)


def write_rule(side: Side, random: Random) -> None:
    """Write a house rule or a section of one's own."""
    mark = side.new_mark()
    text = f"## Section {mark}\n" if random.random() < 0.3 else f"Rule {mark}.\nIt holds.\n"
    side.pieces.insert(random.randint(1, len(side.pieces)), text)


def change_rule(side: Side, random: Random) -> None:
    """Write another line into the file's own text, change one or take one out."""
    at = random.choice([at for at, piece in enumerate(side.pieces) if isinstance(piece, str)])
    lines = str(side.pieces[at]).splitlines(keepends=True)
    which = random.randrange(1, len(lines) + 1)
    lines[which : which + random.randint(0, 1)] = [] if random.random() < 0.2 else [f"> {side.new_mark()}\n"]
    side.pieces[at] = "".join(lines)


def change_form(side: Side, random: Random) -> None:
    """Save with an editor of other habits."""
    match random.randrange(3):
        case 0:
            side.ending = random.choice(("\n", "\r\n"))
        case 1:
            side.bom = not side.bom
        case _:
            side.ended = not side.ended


EDITS: tuple[tuple[Callable[[Side, Random], None], int], ...] = (
    (add, 8),
    (add_by_hand, 2),
    (rewrite, 6),
    (retitle, 2),
    (take_field_out, 1),
    (reinforce, 4),
    (use, 3),
    (meet, 2),
    (resolve, 3),
    (write_below, 1),
    (prune, 4),
    (change_archived, 1),
    (move, 2),
    (write_rule, 1),
    (change_rule, 1),
    (change_form, 1),
)
_EDITS = tuple(edit for edit, weight in EDITS for _ in range(weight))


def base(random: Random) -> Side:
    side = Side("o", [HEADER], [])
    for _ in range(random.randrange(6)):
        random.choice((add, add, add, add, add, prune, write_rule))(side, random)
    if random.random() < 0.1:
        change_form(side, random)
    return side


def edited(start: Side, name: str, random: Random) -> Side:
    """What a side makes of another one in some edits, or none."""
    side = start.fork(name)
    for _ in range(random.choice((0, 1, 1, 2, 2, 3, 4))):
        random.choice(_EDITS)(side, random)
    return side


def advanced(start: Side, name: str, random: Random) -> Side:
    """As `edited`, in one or two edits that take nothing back."""
    side = start.fork(name)
    for _ in range(random.choice((1, 2))):
        random.choice((add, add_by_hand, rewrite, retitle, reinforce, move, write_below))(side, random)
    return side
