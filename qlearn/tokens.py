"""Text as the words that a search compares: identifiers split, endings cut, case and particles gone.

A word is a stem in lower case, or what stands in a run of Han, Kana or Hangul, which have no spaces to go by:
words of the vocabulary where they are found, pairs of characters elsewhere.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby

from .record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Classes of characters beyond Latin-1 take milliseconds to compile, so scripts are told apart below.
_RUN = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[A-Z]+(?![^\W\d_A-Z])[0-9]*|[A-Z]?[^\W\d_A-Z]+[0-9]*|[0-9]+[^\W\d_A-Z]*")

# The longest first. They are cut once, from the end of a run, and never leave it empty.
_PARTICLES = """
하고있는데 했더니 에서는 으로는 합니다 하는데 했는데
에게 한테 처럼 보다 이나 인데 하면 해서 하는 한다 해줘 되면 되어 된다 이고 이다 인지
에는 에도 마다 라는 이라 들이 들을 하게 하지 했어 해도 으로 에서 까지 부터 라고 하고
을 를 이 가 은 는 에 의 로 와 과 도 만 들 할 한 된 될
"""


def tokens(text: str, known: frozenset[str] = frozenset()) -> list[str]:
    """List the words of a text, in order.

    An identifier gives its parts and the whole: camelCase `camel cas camelcas`, snake_case, kebab-case,
    dotted names and paths their parts. Hangul and Han give the longest words of *known* from the left, and
    of what is between them each pair of neighbours.

    >>> tokens("PgBouncer's pool_size: src/db/settings.py")
    ['pg', 'bouncer', 'pgbouncer', 's', 'pool', 'siz', 'src', 'db', 'set', 'py']
    >>> tokens("캐시를 삭제", frozenset({"캐시"}))
    ['캐시', '삭제']
    """
    found: list[str] = []
    for run in _RUN.findall(text):
        for piece in (run,) if run.isascii() else _by_script(run):
            found += _pairs(piece, known) if is_spaceless(piece) else _words(piece)
    return found


def _by_script(run: str) -> Iterator[str]:
    """Cut a run where its script changes. Hiragana is left out: it is grammar."""
    for script, chars in groupby(run, _script):
        if script != "hiragana":
            yield "".join(chars)


def _script(char: str) -> str:
    if char < "\u3000":
        return "alphabet"
    if "\uac00" <= char <= "\ud7a3":
        return "hangul"
    if char <= "\u30ff":
        return "hiragana" if char <= "\u309f" else "katakana"
    return "han"


def lower_case(text: str) -> str:
    """Put a text in lower case and keep its length: of all letters only the dotted capital I would grow."""
    return text.replace("\u0130", "i").lower()


def is_spaceless(word: str) -> bool:
    """Tell whether a word is of a script without spaces, so that it may stand anywhere in a run."""
    return word[0] >= "\u3000"


def words_at(text: str, at: int) -> tuple[str, ...]:
    """The words of the run of letters and digits of an alphabet that holds an offset."""
    start = at
    while start and text[start - 1] < "\u3000" and text[start - 1].isalnum():
        start -= 1
    run = _RUN.match(text, start)
    return _words(next(_by_script(run[0]))) if run else ()


@lru_cache(maxsize=8192)
def _words(run: str) -> tuple[str, ...]:
    """The words of a run of letters and digits: the parts of camelCase, then the whole."""
    lower = lower_case(run)
    whole = stem(lower)
    if lower == run or (run[1:] == lower[1:] and run.isalpha()):
        return (whole,)
    parts = _HUMP.findall(run)
    if len(parts) < 2:
        return (whole,)
    return (*(stem(lower_case(part)) for part in parts if len(part) > 1), whole)


def _pairs(run: str, known: frozenset[str]) -> list[str]:
    """The words of a run that has no spaces."""
    if "\uac00" <= run[0] <= "\ud7a3" and run not in known:
        run = _without_particle(run)
    found: list[str] = []
    start = at = 0
    while at < len(run):
        length = next((n for n in range(min(8, len(run) - at), 1, -1) if run[at : at + n] in known), 0)
        if length:
            found += _neighbours(run[start:at])
            found.append(run[at : at + length])
            start = at = at + length
        else:
            at += 1
    rest = run[start:]
    return found + ([rest] if len(rest) == 1 and not found else _neighbours(rest))


def _neighbours(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


def _without_particle(run: str) -> str:
    for particle in _PARTICLES.split():
        if run.endswith(particle) and len(run) > len(particle):
            return run[: -len(particle)]
    return run


def stem(word: str) -> str:
    """Cut the ending of a word in lower case, so that its forms are one.

    What is left is always a beginning of the word, so that it can be found in a text. English endings and
    the plurals and genders of Spanish; a word with digits in it stays.

    >>> {stem(word) for word in ("migrate", "migrates", "migrated", "migrating", "migration", "migrations")}
    {'migrat'}
    """
    if len(word) < 4 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3]
    elif word.endswith("es") and len(word) > 4:
        word = word[:-2]
    elif word.endswith("s") and word[-2] != "s":
        word = word[:-1]
    if (word.endswith(("ing", "ion")) and len(word) > 5) or (word.endswith("ied") and len(word) > 4):
        word = word[:-3]
    elif word.endswith("ed") and len(word) > 4:
        word = word[:-2]
    if len(word) > 3 and word[-1] in "ey":
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word[-1] in "oa" else word
