"""Three versions of a registry become one, entry by entry and field by field.

`qlearn.versions` tells which entries are one, `qlearn.reconcile` merges the versions of one, `qlearn.weave`
puts lines and entries into one order; numbers are given here. The two sides are ordered by their text before
anything is decided, so that it does not matter who merges whom. What comes out is read back; where it does
not read as meant, both whole texts stand between conflict markers. So nothing is lost silently, whatever the
texts are.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .document import parse
from .errors import RegistryError
from .learning import parse_learnings
from .lines import BOM, split_lines
from .reconcile import Reconciled, decide, picked, reconcile
from .registry import LARGEST_NUMBER, conflict_line, former_numbers, used_numbers
from .versions import Version, are_kin, are_one, cut, match, may_be_one, names
from .weave import Clash, weave

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from .learning import Learning


class Merged(NamedTuple):
    """The merged text and what is in conflict, a line each: there, both texts stand between markers.

    `notes` tell what was decided and may surprise: that an entry was kept, or has a new number.
    """

    text: str
    conflicts: tuple[str, ...]
    notes: tuple[str, ...] = ()


class Memory(NamedTuple):
    """The text of a registry and of its archive; "" for one that does not exist."""

    registry: str
    archive: str


def merge(
    base: str,
    ours: str,
    theirs: str,
    *,
    archive: str = "",
    origin: str = "",
    elsewhere: Sequence[str] = (),
    marker_size: int = 7,
) -> Merged:
    """Merge two registries, or two archives, that both started from *base*.

    Of each field, what the side says that changed it; of Reinforced the later day, of Pruned the earlier, of
    Used and Evidence the sum of both changes. A change that both sides made alike is one change. An entry
    that one side took out and the other left as it was is out; one that the other changed is kept. Of
    entries that are new on both sides under one number, the one that sorts later by date and text gets the
    next free number, and says Was.

    Args:
        archive: The merged archive, if it is registries that merge: a new entry that has the number of
            another entry there gets the next free one, too.
        origin: Entries of the base's registry, if it is archives that merge: what both sides moved from
            there is one entry.
        elsewhere: Other texts whose numbers are not given again.
        marker_size: The length of conflict markers, in characters.

    Raises:
        RegistryError: No number of nine digits is left.

    Source: docs/format.md, "Merging".
    """
    decided = ours if ours == theirs or theirs == base else theirs if ours == base else None
    if decided is not None and (ours == theirs or not archive):
        return _with_old_conflict(Merged(decided, ()))
    form, (start, *sides) = _alike(base, ours, theirs)
    texts = (start, *sorted(sides))
    origins = cut("\n".join(split_lines(origin)))[1]
    merged = _merge_alike(texts, _Around(_by_name(parse_learnings(archive)), origins, elsewhere), marker_size)
    if decided is not None and not merged.notes:  # no number had to change
        return _with_old_conflict(Merged(decided, ()))
    return _with_old_conflict(merged._replace(text=form.put_on(merged.text)))


def merge_memories(
    base: Memory, ours: Memory, theirs: Memory, *, marker_size: int = 7
) -> tuple[Merged, Merged]:
    """Merge registries and their archives, so that no number stands for two entries in both together.

    Returns:
        The merged registry and the merged archive.
    """
    registries = (base.registry, ours.registry, theirs.registry)
    archive = merge(
        base.archive,
        ours.archive,
        theirs.archive,
        origin=_moved(*registries),
        elsewhere=registries,
        marker_size=marker_size,
    )
    return merge(*registries, archive=archive.text, marker_size=marker_size), archive


def _moved(base: str, *sides: str) -> str:
    """The entries of a registry that neither side has any more.

    A side that still has one may have an older version of it in its archive, too.
    """
    old, *texts = (cut(text)[1] for text in (base, *sides))
    entries = [version.learning for version in old]
    left = {at for text in texts for at in match(entries, [version.learning for version in text])}
    return "".join(version.body + "\n---\n" for at, version in enumerate(old) if at not in left)


def unmerged(ours: str, theirs: str, why: str, *, marker_size: int = 7) -> Merged:
    """Put both whole texts between conflict markers."""
    one, other = (
        text if not text or text.endswith(("\n", "\r")) else text + "\n" for text in sorted((ours, theirs))
    )
    return Merged(_marked([Clash(one, other)], marker_size), (why,))


def _with_old_conflict(merged: Merged) -> Merged:
    """Say it where conflict markers came in with a text."""
    lineno = None if merged.conflicts else conflict_line(merged.text)
    if lineno is None:
        return merged
    return merged._replace(conflicts=(f"line {lineno} is a conflict marker from before; resolve it first",))


# Texts as wholes ----------------------------------------------------------------------------------


class _Form(NamedTuple):
    """What holds for a whole text: its BOM, its line ending ("" if mixed), whether a newline ends it."""

    bom: bool
    ending: str
    ended: bool

    def put_on(self, text: str) -> str:
        if not self.ended:
            text = text.removesuffix("\n")
        return self.bom * BOM + (text.replace("\n", self.ending) if self.ending else text)


def _alike(*texts: str) -> tuple[_Form, list[str]]:
    """Take the forms off the base and both sides, so that a change of form is no change of an entry.

    Returns the merged form, and the texts with the line ending LF. Where one text mixes its line endings,
    all keep theirs.
    """
    bodies = [text.removeprefix(BOM) for text in texts]
    ended = [not body or body.endswith(("\n", "\r")) for body in bodies]
    found = [_endings(body) for body in bodies]
    known = min((ending for each in found for ending in each), default="\n")
    endings = [each[0] if each else known for each in found]
    bodies = [
        body if end else body + ending for body, end, ending in zip(bodies, ended, endings, strict=True)
    ]
    mixed = any(len(each) > 1 for each in found)
    if not mixed:
        bodies = [body.replace(ending, "\n") for body, ending in zip(bodies, endings, strict=True)]
    bom, _ = decide(*(text.startswith(BOM) for text in texts))
    ending = "" if mixed else min(decide(*endings))
    end, _ = decide(*ended)
    return _Form(bom, ending, end), bodies


def _endings(text: str) -> list[str]:
    pairs = text.count("\r\n")
    counts = {"\n": text.count("\n") - pairs, "\r\n": pairs, "\r": text.count("\r") - pairs}
    return [ending for ending, count in counts.items() if count]


# Entries through the texts ------------------------------------------------------------------------


class _Around(NamedTuple):
    """What stands outside of the merged texts: see `merge`. What is archived goes by all its numbers."""

    archived: Mapping[int, Sequence[Learning]]
    origins: Sequence[Version]
    elsewhere: Sequence[str]


class _Strand(NamedTuple):
    """The versions of one entry; None where a text does not have it."""

    base: Version | None
    one: Version | None
    other: Version | None

    @property
    def left(self) -> list[Version]:
        """The versions of the sides."""
        return [version for version in self[1:] if version]

    @property
    def started_its_texts(self) -> bool:
        """Whether no blank line had to stand before it."""
        return all(version.learning.start == 0 for version in self.left)

    @property
    def is_gone(self) -> bool:
        """Whether one side took it out, and the other did that, too, or left it as it was.

        A new number counts as a change: other entries may refer to it by now.
        """
        base = self.base
        return base is not None and len(self.left) < 2 and all(left.body == base.body for left in self.left)

    @property
    def numbers(self) -> list[int]:
        """The numbers that the sides gave it, or else left it; those first that are not former ones."""
        numbers = {version.number for version in self.left}
        old = {number for version in self.left for number in former_numbers(version.learning.was)}
        if self.base:
            old.add(self.base.number)
        return sorted(numbers - old or numbers)

    @property
    def number(self) -> int:
        """The first of them, which it keeps unless it is another's."""
        return self.numbers[0]

    @property
    def rank(self) -> tuple[str, str]:
        """Where it sorts among new entries, whatever its number: by date and text."""
        return min((version.learning.fields.get("date", ""), version.nameless) for version in self.left)


def _by_name(entries: Iterable[Learning]) -> dict[int, list[Learning]]:
    found: dict[int, list[Learning]] = {}
    for entry in entries:
        for number in names(entry):
            found.setdefault(number, []).append(entry)
    return found


def _strands(
    texts: Sequence[Sequence[Version]], around: _Around
) -> tuple[list[_Strand], list[dict[int, int]]]:
    """Find the entries that are one; for each text, also the index of the strand of each entry."""
    olds = (*texts[0], *around.origins)
    old, one, other = ([version.learning for version in versions] for versions in (olds, *texts[1:]))

    def is_one(entry: Learning, later: Learning) -> bool:
        if not may_be_one(entry, later) or are_kin(entry, later):
            return may_be_one(entry, later)
        # An entry may have been archived under a new number, and its old one be another's.
        archived = (each for each in around.archived.get(entry.number, ()) if each.number != entry.number)
        return not any(are_kin(entry, each) for each in archived)

    to_one, to_other = match(old, one, is_one), match(old, other, is_one)
    rows: list[tuple[int | None, int | None, int | None]] = [
        (at, to_one.get(at), to_other.get(at))
        for at in range(len(olds))
        if at < len(texts[0]) or (at in to_one and at in to_other)
    ]
    new_one = sorted(set(range(len(one))).difference(at for _, at, _ in rows))
    new_other = sorted(set(range(len(other))).difference(at for _, _, at in rows))
    pairs = match([one[at] for at in new_one], [other[at] for at in new_other], are_one)
    both_new = {new_one[i]: new_other[j] for i, j in pairs.items()}
    rows += [(None, at, both_new.get(at)) for at in new_one]
    rows += [(None, None, at) for at in sorted(set(new_other).difference(both_new.values()))]
    strands = [
        _Strand(
            *(
                None if at is None else versions[at]
                for at, versions in zip(row, (olds, *texts[1:]), strict=True)
            )
        )
        for row in rows
    ]
    keys = [{at: key for key, row in enumerate(rows) if (at := row[side]) is not None} for side in range(3)]
    return strands, keys


def _numbers(strands: Sequence[_Strand], kept: Iterable[int], around: _Around) -> dict[int, int]:
    """Give every strand that is kept its number.

    An entry of the base keeps its own. Two that stand under one number in one of the texts already are left
    so: `qlearn fix` parts them.
    """
    sharing: dict[int, list[int]] = {}
    for key in kept:
        sharing.setdefault(strands[key].number, []).append(key)
    numbers: dict[int, int] = {}
    moving: list[int] = []
    for number, keys in sharing.items():
        if len(keys) > 1:
            keys.sort(key=lambda key: (not _is_established(strands[key]), strands[key].rank))
        keeper = None
        for key in keys:
            strand = strands[key]
            if _is_anothers(number, strand, around):
                moving.append(key)
            elif keeper is None or _stand_together(keeper, strand):
                keeper = keeper or strand
                numbers[key] = number
            else:
                moving.append(key)
    homeless = []
    for key in sorted(moving, key=lambda key: strands[key].rank):
        # Where both sides gave it a number anew, the other one may be free.
        free = (each for each in strands[key].numbers if each not in sharing)
        number = next((each for each in free if not _is_anothers(each, strands[key], around)), 0)
        if number:
            numbers[key] = number
            sharing[number] = [key]
        else:
            homeless.append(key)
    if homeless:
        known = [version.learning for strand in strands for version in strand if version]
        above = max(used_numbers(known, *around.archived.values(), *map(parse_learnings, around.elsewhere)))
        if above + len(homeless) > LARGEST_NUMBER:
            raise RegistryError(
                f"L{above:03d} is in use, so there is no next number; give that entry a smaller one"
            )
        numbers.update((key, above + nth) for nth, key in enumerate(homeless, 1))
    return numbers


def _is_established(strand: _Strand) -> bool:
    return strand.base is not None and strand.base.number == strand.number


def _is_anothers(number: int, strand: _Strand, around: _Around) -> bool:
    """Whether a new entry would have the number of archived ones, none of which is a version of it."""
    rivals = [entry for entry in around.archived.get(number, ()) if entry.number == number]
    entry = strand.left[0].learning
    return bool(rivals) and strand.base is None and not any(are_kin(entry, rival) for rival in rivals)


def _stand_together(strand: _Strand, other: _Strand) -> bool:
    """Whether one of the texts has both under their number."""
    return any(
        one.number == two.number == strand.number
        for one, two in zip(strand, other, strict=True)
        if one and two
    )


# The merge ----------------------------------------------------------------------------------------


class _Piece(NamedTuple):
    """A merged entry: the blank lines before it, its text, in which a clash may stand, and what ends it."""

    lead: str
    body: tuple[str | Clash, ...]
    rule: str


def _merge_alike(texts: Sequence[str], around: _Around, marker_size: int) -> Merged:
    """Merge texts that have one form; of the sides, the lesser text comes first."""
    cuts = [cut(text) for text in texts]
    strands, keys = _strands([versions for _, versions in cuts], around)
    kept = {key: strand for key, strand in enumerate(strands) if not strand.is_gone}
    numbers = _numbers(strands, kept, around)
    pieces: dict[int, _Piece] = {}
    conflicts: list[str] = []
    notes: list[str] = []
    for key, strand in kept.items():
        pieces[key], labels = _piece(strand, numbers[key])
        name = f"L{numbers[key]:03d}"
        conflicts += [f"{name}: both sides changed its {label}" for label in labels]
        notes += _notes(strand, name)
    base, one, other = (
        [token for token in _renamed(tokens, own) if isinstance(token, str) or token in pieces]
        for (tokens, _), own in zip(cuts, keys, strict=True)
    )
    woven = weave(base, one, other, rank=lambda key: strands[key].rank)
    conflicts += [
        f"both sides changed a text outside of entries: {_first(token.one)} or {_first(token.other)}"
        for token in woven
        if isinstance(token, Clash)
    ]
    for token in woven[1:]:
        if isinstance(token, int) and strands[token].started_its_texts:
            pieces[token] = pieces[token]._replace(lead="\n")
    picks = (0, 1) if conflicts else (0,)
    if not all(_reads_as_meant(woven, pieces, pick) for pick in picks):
        pieces = _closed(woven, pieces)
        if not all(_reads_as_meant(woven, pieces, pick) for pick in picks):
            why = "what one side wrote hides entries of the other; both whole texts are there"
            return unmerged(texts[1], texts[2], why, marker_size=marker_size)
    parts = [part for token in woven for part in _parts(token, pieces)]
    return Merged(_marked(parts, marker_size), tuple(conflicts), tuple(notes))


def _renamed(tokens: Iterable[str | int], keys: Mapping[int, int]) -> Iterator[str | int]:
    return (token if isinstance(token, str) else keys[token] for token in tokens)


def _first(text: str) -> str:
    line = split_lines(text.strip())[0].rstrip()
    return repr(line if len(line) <= 40 else line[:39] + "…") if line else "nothing"


def _notes(strand: _Strand, name: str) -> list[str]:
    notes = []
    if len(strand.left) == 1 and strand.base:
        notes.append(f"{name} stays: one side took it out, the other changed it")
    numbers = {f"L{version.number:03d}" for version in strand.left} - {name}
    if numbers:
        notes.append(f"{' and '.join(sorted(numbers))} is {name} now: {strand.left[0].learning.title!r}")
    return notes


def _piece(strand: _Strand, number: int) -> tuple[_Piece, tuple[str, ...]]:
    """Merge the versions of an entry; also return what of it is in conflict."""
    former = {version.number for version in strand if version} - {number}
    base, *sides = (version and version.named(number, former) for version in strand)
    bodies = [body for body in sides if body is not None]
    merged = reconcile(base, *bodies) if len(bodies) == 2 else Reconciled((bodies[0],))
    old, one, *_, other = strand.base, *strand.left, strand.left[-1]
    lead = max(decide(old.lead if old else "", one.lead, other.lead), key=len)
    rule = max(decide(old.rule if old else "", one.rule, other.rule), key=len)
    return _Piece(lead, merged.parts, rule), merged.conflicts


def _parts(token: str | int | Clash, pieces: Mapping[int, _Piece]) -> tuple[str | Clash, ...]:
    if isinstance(token, int):
        piece = pieces[token]
        return (piece.lead, *piece.body, piece.rule)
    return (token,)


def _reads_as_meant(woven: Iterable[str | int | Clash], pieces: Mapping[int, _Piece], pick: int) -> bool:
    """Whether the entries in the whole are just those that were merged, from their starts to their ends.

    Then they also say the same: what an entry says depends on nothing that stands before its heading.
    """
    texts: list[str] = []
    places: list[tuple[int, int]] = []
    size = 0
    for token in woven:
        texts.append(picked(_parts(token, pieces), pick))
        if isinstance(token, int):
            places.append((size + len(pieces[token].lead), size + len(texts[-1])))
        size += len(texts[-1])
    whole = "".join(texts)
    found = parse_learnings(whole)
    return len(found) == len(places) and all(
        entry.start == start and not whole[end : entry.end].strip(" \t\r\n")
        for entry, (start, end) in zip(found, places, strict=True)
    )


def _closed(woven: Sequence[str | int | Clash], pieces: Mapping[int, _Piece]) -> dict[int, _Piece]:
    """End the entries that would swallow what now stands behind them."""
    closed = dict(pieces)
    for token, following in pairwise(woven):
        if isinstance(token, int):
            piece = pieces[token]
            body = (*piece.body, piece.rule)
            document = parse(picked(body, 0))
            if document.closer is not None:
                closed[token] = _Piece(piece.lead, (*body, document.closer + "\n"), "\n---\n")
            elif not piece.rule and following not in pieces:
                closed[token] = piece._replace(rule="\n---\n")
    return closed


def _marked(parts: Iterable[str | Clash], size: int) -> str:
    """Write out a text, both texts of a clash between conflict markers."""
    opening, middle, closing = ("<" * size + " one side\n", "=" * size + "\n", ">" * size + " the other\n")
    return "".join(
        part if isinstance(part, str) else f"{opening}{part.one}{middle}{part.other}{closing}"
        for part in parts
    )
