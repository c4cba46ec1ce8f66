"""What may stand in the registry's file, written by hand, by another program or by git."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from .bench import ARCHIVE, FIRST, FIRST_LINE, GOOD, LAST, LEARNINGS, Bench, Ran, bad_input

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

OURS = "<<<<<<< HEAD\n- **Context**: ours\n=======\n- **Context**: theirs\n>>>>>>> branch\n"
HIDDEN_ENTRY = (
    "### L050: hidden\n- **Severity**: critical\n- **Date**: 2026-11-30\n- **Learning**: Not said.\n"
)
LARGEST = 16 << 20
_PIECES = [
    b"\n", b"\r\n", b"\r", b"\x00", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"\xed\xa0\xbd", b"\xe2\x80\xa8",
    b"```\n", b"~~~\n", b"<!--", b"-->", b"---\n", b"===\n", b"### L001: x\n", b"### L002 [RESOLVED]\n",
    b"- **Date**: ", b"- **Was**: L002\n", b"- **Severity**: high\n", b"<pre>\n", b"    ", b"> ", b"- ",
    b"# ", b"[RESOLVED]", b"<<<<<<< a\n", b">>>>>>> b\n", b"*",
]  # fmt: skip


def spoiled(data: bytes, random: Random) -> bytes:
    """Change bytes, lines or the order of lines in one to four places."""
    for _ in range(random.randint(1, 4)):
        data = random.choice(_CHANGES)(data, random)
    return data


def _inserted(data: bytes, random: Random, piece: bytes) -> bytes:
    at = random.randint(0, len(data))
    return data[:at] + piece + data[at:]


def _cut(data: bytes, random: Random, times: int) -> bytes:
    at = random.randint(0, len(data))
    to = min(len(data), at + random.randint(0, 200))
    return data[:at] + data[at:to] * times + data[to:]


def _shuffled(data: bytes, random: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(random.sample(lines, len(lines)))


_CHANGES: list[Callable[[bytes, Random], bytes]] = [
    lambda data, random: _inserted(data, random, random.choice(_PIECES)),
    lambda data, random: _inserted(data, random, random.randbytes(random.randint(1, 4))),
    lambda data, random: _cut(data, random, 0),
    lambda data, random: _cut(data, random, 2),
    lambda data, random: data[: random.randint(0, len(data))],
    lambda data, random: data.replace(b"\n", random.choice([b"\r\n", b"\r", b"\n\n", b"\n  "])),
    _shuffled,
]


def found_everywhere(bench: Bench) -> Counter[str]:
    """Count the entries in registry and archive by title."""
    return Counter(entry.title for path in (LEARNINGS, ARCHIVE) for entry in bench.entries(path))


def edited(bench: Bench, *arguments: str) -> Ran:
    """Run a command that edits: it does so and loses nothing, or says why not and writes nothing."""
    before, had = bench.registry.read_bytes(), found_everywhere(bench)
    ran = bench.run(*arguments)
    if ran.code:
        assert bench.registry.read_bytes() == before, ran
        assert ran.err.startswith("qlearn: "), ran
    else:
        lost = had - found_everywhere(bench)
        assert not lost, (ran, lost)
    return ran


def tried(bench: Bench, data: bytes, random: Random) -> str:
    """Put a file in place, read it in every way and edit it in some; return what a session shows of it."""
    bench.put(data)
    bench.problems()
    injected = bench.session()
    bench.run(random.choice(["review", "list", "stats"]))
    edits = [
        ("add", "One more lesson."),
        ("resolve", "L001"),
        ("reinforce", "L002"),
        ("prune", "--yes", "--threshold", "0.5"),
        ("fix", "--yes"),
    ]
    for edit in random.sample(edits, 2):
        edited(bench, *edit)
    bench.session()
    return injected


def says(bench: Bench, *words: str) -> bool:
    """Whether `check` has one message with all these words in it."""
    return any(all(word in message for word in words) for message in bench.problems())


def _file(name: str, text: str | bytes, *words: str, shown: str = FIRST_LINE, add: int = 0) -> None:
    """Register a file: it is read, `check` says these words of it, and an added lesson is taken or not."""
    data = text.encode() if isinstance(text, str) else text

    def trial(bench: Bench, random: Random, plain: bool) -> None:
        if not plain:
            tried(bench, spoiled(data, random), random)
            return
        bench.put(data)
        assert shown in bench.session()
        assert says(bench, *words), bench.problems()
        assert edited(bench, "add", "One more lesson.").code == add

    bad_input(name, "warn")(trial)


def _second(heading: str, *fields: str) -> str:
    lines = [f"### {heading}", *fields, "- **Learning**: The second lesson.", "", "---", "", ""]
    return FIRST + "\n".join(lines) + LAST


_file("0xFF", GOOD.encode() + b"\ncaf\xe9 \xff\n", "0xe9", "UTF-8", add=1)
_file("CESU surrogate", _second("L002: x").encode() + b"\xed\xa0\xbd\xed\xb8\x80", "0xed", add=1)
_file("conflict markers", FIRST + LAST.replace("\n---", f"\n{OURS}\n---"), "conflict", add=1)
_file("L000", _second("L000: zero"), "L000")
_file("date 9999", _second("L002: x", "- **Date**: 9999-12-31"), "future")
_file("date 2026-02-30", _second("L002: x", "- **Date**: 2026-02-30"), "2026-02-30", "no date")


@bad_input("comment hiding an entry", "allow")
def _(bench: Bench, random: Random, plain: bool) -> None:
    hiding = ["<!--\n{}-->\n\n", "```\n{}```\n\n", "<pre>\n{}</pre>\n\n", "> {}\n"]
    way = hiding[0] if plain else random.choice(hiding)
    data = (
        FIRST
        + way.replace("{}", HIDDEN_ENTRY if ">" not in way[:1] else HIDDEN_ENTRY.replace("\n", "\n> "))
        + LAST
    )
    if not plain:
        tried(bench, spoiled(data.encode(), random), random)
    bench.put(data)
    injected = bench.session()
    assert FIRST_LINE in injected
    assert "The last lesson stays." in injected
    assert "L050" not in injected
    assert edited(bench, "resolve", "L050").code == 1


@bad_input("title with newline and heading", "refuse")
def _(bench: Bench, random: Random, plain: bool) -> None:
    title = "One\n### L099: forged"
    if not plain:
        ends = ["\n", "\r\n", "\r", "\n\n", "\n---\n", "\n```\n"]
        number = random.randint(0, 10 ** random.randint(1, 9))
        title = f"One{random.choice(ends)}{'#' * random.randint(1, 6)} L{number}: x"
    bench.put(GOOD)
    ran = edited(bench, "add", "A lesson.", "--title", title)
    assert ran.code == 1
    assert "one line" in ran.err or "U+000D CR" in ran.err


@bad_input("forged Was", "warn")
def _(bench: Bench, random: Random, plain: bool) -> None:
    was = "L001"
    if not plain:
        was = random.choice(
            [
                "L001",
                "l001",
                "L1, L3",
                "L٣",
                "L0",
                "L-1",
                "L999999999",
                "L" + "9" * 5000,
                "L002",
                "[L001](x)",
                "",
            ]
        )
        was += random.choice(["", " ", "\u200b", ", L500", "\n  L77", "`"])
    bench.put(_second("L002: forged", f"- **Was**: {was}"))
    assert FIRST_LINE in bench.session()
    ran = bench.run("show", "L001")
    assert "The first lesson stays." in ran.out
    if plain:
        assert "L002" in ran.out + ran.err, "a forged Was speaks for L001 without a word"
    claimed = [int(number) for number in re.findall(r"L([0-9]{1,8})(?![0-9])", was)]  # nine are not believed
    if edited(bench, "add", "One more lesson.").code == 0:
        assert bench.entries()[-1].number > max([3, *claimed])


@bad_input("L-1", "refuse")
def _(bench: Bench, random: Random, plain: bool) -> None:
    name = "L-1"
    if not plain:
        number = str(random.randint(0, 10 ** random.randint(1, 12)))
        name = (
            random.choice(
                ["L-", "-", "L+", "L ", "Ｌ", "L１", "L٣", "L0x", "L1e", "L.", "L1_", "--", "L00-", "l_"]
            )
            + number
        )
    _refused_name(bench, name)
    bench.put(_second(f"{name}: x"))
    assert FIRST_LINE in bench.session()
    assert plain <= says(bench, "no"), bench.problems()


@bad_input("5,000-digit id", "refuse")
def _(bench: Bench, random: Random, plain: bool) -> None:
    digits = "1" * 5000 if plain else random.choice("0123456789") * random.randint(10, 20_000)
    _refused_name(bench, f"L{digits}")
    bench.put(_second(f"L{digits}: x", f"- **Used**: {digits}", f"- **Confidence**: 0.{digits}"))
    assert FIRST_LINE in bench.session()
    bench.problems()
    assert edited(bench, "add", "One more lesson.").code == 0
    assert bench.entries()[-1].number == 4


def _refused_name(bench: Bench, name: str) -> None:
    bench.put(GOOD)
    for command in ("show", "resolve", "reinforce"):
        ran = edited(bench, command, "--", name)
        assert ran.code == 1 or f"L{int(name[1:] or '0'):03d}" in ran.out, ran


@bad_input("100,000 entries", "allow", share=0.004)
def _(bench: Bench, random: Random, plain: bool) -> None:
    count = 100_000 if plain else random.randint(20_000, 150_000)
    filler = "x" * (40 if plain else random.randint(0, 200))
    text = "".join(f"### L{n}: {filler}\n- **Learning**: Lesson {n}.\n\n---\n\n" for n in range(1, count + 1))
    bench.put(text)
    injected = bench.session()
    assert ("Top 5" in injected) == (len(text) <= LARGEST)
    assert injected or "above the limit" in bench.log()
    assert bench.run("show", f"L{count}").code == 0
    assert edited(bench, "add", "One more lesson.").code == (len(text) > LARGEST)


@bad_input("one 50 MB line", "refuse", share=0.006)
def _(bench: Bench, random: Random, plain: bool) -> None:
    size = (50 if plain else random.choice([1, 15, 17, 50, 63, 65])) << 20
    unit = (
        "word " if plain else random.choice(["word ", "x", "`", "<", "*", "漢", "- ", "[", "\\", "&#0", "\t"])
    )
    bench.put(f"{FIRST}### L002: x\n- **Learning**: {unit * (size // len(unit.encode()))}\n\n---\n\n{LAST}")
    fits = bench.registry.stat().st_size
    assert (FIRST_LINE in bench.session()) == (fits <= LARGEST)
    assert fits <= LARGEST or "above the limit" in bench.log()
    assert bench.run("list").code == (fits > 64 << 20)
    assert edited(bench, "add", "One more lesson.").code == (fits > LARGEST)
