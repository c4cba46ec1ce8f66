"""Measure how many made-up tokens `qlearn.secrets` finds, and how many harmless notes it takes for secrets.

    python -m benchmarks.secret_detection [--seed N] [--each N] [--notes N]

Prints recall for each kind of token and false alarms among the notes, beside a null control: a rule on
randomness, as general scanners have one, that must fail the same aim. Exits 1 if an aim is missed.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import random
import re
import string
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from qlearn.secrets import find_secrets, mask

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HERE = Path(__file__).parent
CORPUS = HERE / "secrets"
RECALL_AIM = 0.95
FALSE_ALARM_AIM = 0.001

ALPHABETS = {
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "b64": string.ascii_letters + string.digits + "+/",
    "url": string.ascii_letters + string.digits + "-_",
    "62": string.ascii_letters + string.digits,
    "b32": string.ascii_uppercase + "234567",
    "bech": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "az": string.ascii_letters,
    "AZ9": string.ascii_uppercase + string.digits,
    "a9": string.ascii_lowercase + string.digits,
    "09": string.digits,
}
LENGTHS = {"sha1": 40, "sha256": 64, "md5": 32, "short": 7}
WORDS = """
    account agent alias anchor archive asset audit backup badge banner batch billing branch bridge
    broker buffer bundle cache canary cart catalog channel checkout client cluster codec column
    compiler config console consumer cookie cursor daemon dashboard dataset decoder deploy digest
    docker domain driver editor email encoder engine event export fabric feature fixture folder
    gateway header health hook image import index ingest invoice job kernel label ledger library
    lint locale login mailer manifest mapper metric migration mirror model monitor mutex notify
    offer order outbox parser patch payload payment pipeline player plugin policy portal printer
    profile proxy query queue quota rate reader record region release render replica report resolver
    retry router sample schema scraper search seed server session shard shell signal sitemap socket
    stage storage stream sync tenant theme thumb ticket timer token tracker upload user vendor
    viewer wallet webhook widget worker writer
"""


class Token(NamedTuple):
    """A made-up token: its kind, the whole of it, and the part that is secret."""

    kind: str
    text: str
    secret: str


def filled(form: str, rng: random.Random) -> str:
    """Replace each field of *form* with random characters, ids, words or paths."""

    def value(match: re.Match[str]) -> str:
        name, least, most = match.groups()
        if least:
            return "".join(rng.choices(ALPHABETS[name], k=rng.randint(int(least), int(most or least))))
        if name in LENGTHS:
            return "".join(rng.choices(ALPHABETS["hex"], k=LENGTHS[name]))
        if name == "uuid":
            return "-".join("".join(rng.choices(ALPHABETS["hex"], k=n)) for n in (8, 4, 4, 4, 12))
        if name == "n":
            return str(rng.choice((rng.randint(2, 20), rng.randint(20, 900), rng.randint(1000, 9000))))
        words = rng.choices(WORDS.split(), k=3)
        if name == "path":
            return "/".join(words[: rng.randint(1, 3)]) + rng.choice(
                (".py", ".ts", ".go", ".rs", ".yml", "_test.py")
            )
        return words[0].upper() if name == "ENV" else words[0]

    return re.sub(r"\{(\w+)(?::(\d+)(?:-(\d+))?)?\}", value, form)


def unescaped(line: str) -> str:
    r"""Read `\n` as a line end and `\\` as a backslash."""
    return re.sub(r"\\([n\\])", lambda match: "\n" if match[1] == "n" else match[1], line)


def tokens(rng: random.Random, each: int) -> Iterator[Token]:
    """Make *each* tokens of each form in tokens.tsv."""
    for line in (CORPUS / "tokens.tsv").read_text(encoding="utf-8").splitlines():
        kind, form = line.split("\t")
        for _ in range(each):
            text = filled(unescaped(form), rng)
            yield Token(kind, text.replace("¦", ""), text.partition("¦")[2].replace("¦", ""))


def carriers() -> list[str]:
    return (CORPUS / "carriers.txt").read_text(encoding="utf-8").splitlines()


def notes(rng: random.Random, count: int) -> list[str]:
    """Make *count* notes without a secret: each line of notes.txt in turn, with other values."""
    forms = (CORPUS / "notes.txt").read_text(encoding="utf-8").splitlines()
    return [filled(unescaped(forms[n % len(forms)]), rng) for n in range(count)]


def lessons() -> Iterator[str]:
    """Give the texts written for the benchmarks of ranking and of duplicates: prose by other hands."""
    for path in (HERE / "relevance" / "lessons.jsonl", HERE / "duplicates" / "pairs.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield " ".join(str(value) for value in json.loads(line).values())


def looks_random(text: str) -> bool:
    """Decide as scanners do that measure randomness: base64 above 4.5 bits a character, hex above 3."""

    def bits(run: str) -> float:
        return -sum(n / len(run) * math.log2(n / len(run)) for n in Counter(run).values())

    return any(bits(run) > 4.5 for run in re.findall(r"[A-Za-z0-9+/=_-]{20,}", text)) or any(
        bits(run) > 3 for run in re.findall(r"\b[0-9a-fA-F]{16,}\b", text)
    )


def survives(token: Token, masked: str) -> bool:
    """Tell whether 12 characters in a row of a token's secret part can still be read."""
    return any(token.secret[at : at + 12] in masked for at in range(max(1, len(token.secret) - 11)))


def share(part: int, whole: int) -> str:
    return f"{part:6} of {whole:6}  {100 * part / whole:6.2f} %"


def report(seed: int, each: int, count: int) -> bool:
    """Print the figures; tell whether both aims are met and the null control misses its own."""
    rng = random.Random(seed)
    print(f"seed {seed}, Python {platform.python_version()}, {platform.system()} {platform.machine()}\n")
    made: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for token in tokens(rng, each):
        text = rng.choice(carriers()).replace("{token}", token.text)
        made[token.kind] += 1
        found[token.kind] += not survives(token, mask(text))
    for kind in sorted(made):
        print(f"{kind:22} {share(found[kind], made[kind])}")
    harmless = notes(rng, count)
    alarms = [note for note in harmless if find_secrets(note)]
    prose = list(lessons())
    prose_alarms = [text for text in prose if find_secrets(text)]
    null_alarms = sum(map(looks_random, harmless))
    print(f"\n{'all kinds found':22} {share(found.total(), made.total())}  (aim {RECALL_AIM:.0%})")
    print(f"{'false alarms, notes':22} {share(len(alarms), len(harmless))}  (aim {FALSE_ALARM_AIM:.1%})")
    print(f"{'false alarms, lessons':22} {share(len(prose_alarms), len(prose))}")
    print(f"{'null: randomness':22} {share(null_alarms, len(harmless))}  (must miss the aim)")
    for text in alarms + prose_alarms:
        print(f"  taken for a secret: {[secret.kind for secret in find_secrets(text)]} in {text!r}")
    met = found.total() >= RECALL_AIM * made.total() and len(alarms) <= FALSE_ALARM_AIM * len(harmless)
    return met and null_alarms > FALSE_ALARM_AIM * len(harmless)


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=30, help="tokens of each form")
    parser.add_argument("--notes", type=int, default=2000)
    chosen = parser.parse_args(None if arguments is None else list(arguments))
    return 0 if report(chosen.seed, chosen.each, chosen.notes) else 1


if __name__ == "__main__":
    sys.exit(main())
