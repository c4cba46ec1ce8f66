"""What may stand where a file or a folder is expected."""

from __future__ import annotations

import json
import os
import re
import shutil
from typing import TYPE_CHECKING, Any

from .bench import FIRST, FIRST_LINE, GOOD, LEARNINGS, SECRET, Bench, Trial, bad_input

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

READ_BY_A_SESSION = (LEARNINGS, ".qe/MISTAKE.md", ".qe/qlearn.toml", ".qe/proposals.md")
WRITTEN_BY_A_COMMAND = (LEARNINGS, ".qe/learnings.archive.md", ".qe/.lock")


def _tried_with(bench: Bench, path: str, put: Callable[[Path], None]) -> None:
    """Put something in a file's place: nothing is read through it, nothing written, and the rest goes on."""
    if path != LEARNINGS:
        bench.put(GOOD)
    put(bench.root / path)
    before = bench.registry.read_bytes() if path != LEARNINGS else b""
    injected = bench.session()
    if path == LEARNINGS:
        assert injected == ""
        assert "learnings.md: " in bench.log()
    else:
        assert FIRST_LINE in injected
    for arguments in (("list",), ("add", "One more lesson."), ("resolve", "L001")):
        ran = bench.run(*arguments)
        if path == LEARNINGS:
            assert ran.code == 1, ran
            assert "learnings.md" in ran.err, ran
    if path in WRITTEN_BY_A_COMMAND and path != LEARNINGS:
        assert bench.registry.read_bytes() == before, path


def _path(random: Random, plain: bool) -> str:
    return LEARNINGS if plain else random.choice(READ_BY_A_SESSION + WRITTEN_BY_A_COMMAND)


def _removed(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@bad_input("registry linked to a secret file", "refuse")
def _(bench: Bench, random: Random, plain: bool) -> None:
    (bench.outside / "learnings.md").write_text(f"{GOOD}\n{SECRET}\n", encoding="utf-8")
    targets = [
        str(bench.secret), "../../secret", "../../outside/learnings.md", "/etc/passwd", "/proc/self/environ",
        f"{bench.root}/../secret", "//etc//passwd", f"{bench.root}/.qe/../../secret",
    ]  # fmt: skip
    target = targets[0] if plain else random.choice(targets)
    hops = 0 if plain else random.randint(0, 3)

    def link(path: Path) -> None:
        _removed(path)
        at = target
        for hop in range(hops):
            (bench.root / ".qe" / f"hop{hop}").symlink_to(at)
            at = f"hop{hop}"
        path.symlink_to(at)

    _tried_with(bench, _path(random, plain), link)


@bad_input(".qe linked outside", "refuse")
def _(bench: Bench, random: Random, plain: bool) -> None:
    for name in READ_BY_A_SESSION:
        (bench.outside / name.removeprefix(".qe/")).write_text(f"{GOOD}\n{SECRET}\n", encoding="utf-8")
    held = sorted((path.name, path.read_bytes()) for path in bench.outside.iterdir())
    target = (
        bench.outside
        if plain
        else random.choice([str(bench.outside), "../outside", "../outside/../outside/."])
    )
    (bench.root / ".qe").rmdir()
    if not plain and random.random() < 0.5:
        (bench.root / "inside").symlink_to(target)
        target = "inside"
    (bench.root / ".qe").symlink_to(target)
    assert bench.session() == ""
    for arguments in (("list",), ("add", "One more lesson."), ("prune", "--yes")):
        assert bench.run(*arguments).code == 1
    assert sorted((path.name, path.read_bytes()) for path in bench.outside.iterdir()) == held


@bad_input("FIFO", "refuse")
def _(bench: Bench, random: Random, plain: bool) -> None:
    def fifo(path: Path) -> None:
        _removed(path)
        os.mkfifo(path)

    _tried_with(bench, _path(random, plain), fifo)


@bad_input("directory", "refuse")
def _(bench: Bench, random: Random, plain: bool) -> None:
    def directory(path: Path) -> None:
        _removed(path)
        path.mkdir(mode=0o755 if plain else random.choice([0o755, 0o700, 0o500]))

    _tried_with(bench, _path(random, plain), directory)


@bad_input("/dev/zero", "refuse")
def _(bench: Bench, random: Random, plain: bool) -> None:
    devices = [
        "/dev/zero",
        "/dev/random",
        "/dev/full",
        "/dev/null",
        "/dev/stdin",
        "/dev/fd/0",
        "/proc/self/mem",
    ]

    def device(path: Path) -> None:
        _removed(path)
        path.symlink_to(devices[0] if plain else random.choice(devices))

    _tried_with(bench, _path(random, plain), device)


# Names in what is imported, and places to export to

RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")
"""Names that Windows keeps for devices, whatever comes after a dot."""

_NAMES = [
    "../../x", "..\\..\\x", "....//x", "a/../../../x", "%2e%2e%2fx", "/etc/cron.d/x", "//host/share/x",
    "C:\\x", "~/x", "$HOME/x", "CON", "con.md", "NUL", "COM1", "aux.txt", ".", "..", "-rf", ".git/hooks/x",
    "x" * 5000, "\u202ex", "x\u0000y", "", "＊", "．．／x", "x\ny", "L001", "../.qe/learnings",
]  # fmt: skip


def _files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if not path.is_dir()}


def _entry(record: dict[str, Any]) -> str:
    lines = "".join(f"- **{label}**: {value}\n" for label, value in record["fields"].items())
    return f"### {record['title']}\n{lines}- **Learning**: {record['learning']}\n\n---\n\n"


def _import_trial(name: str) -> Trial:
    """Import entries with a name wherever a path may be made of it, and let everything be made of them."""

    def trial(bench: Bench, random: Random, plain: bool) -> None:
        used = name if plain else random.choice(_NAMES)
        fields = {"Domain": used, "Files": used, "Trigger": "when writing new functions"}
        if not plain:
            for label in random.sample(["Key", *fields], 2):
                fields[label] = random.choice([*_NAMES, "workflow", "global"])
        pack = [
            {"title": title, "learning": "Do so.", "fields": {"Key": key, **fields}}
            for title, key in (("One", used), ("Two", "a"), (used or "Three", ""))
        ]
        written = "".join(map(_entry, pack))
        as_json = plain or random.random() < 0.5
        file = bench.outside / ("pack.json" if as_json else "pack.md")
        file.write_bytes((json.dumps(pack) if as_json else written).encode("utf-8", "surrogatepass"))
        bench.put(GOOD)
        inside = (bench.root, bench.folder / "home")
        before = {path for path in _files(bench.folder) if not path.is_relative_to(bench.root)}
        bench.run("import", str(file))
        for arguments in (
            ("evolve",),
            ("evolve", "--install"),
            ("export", "-o", str(bench.root / "out.md")),
            ("status",),
        ):
            ran = bench.run(*arguments)
            assert ran.code == 0 or "differs" in ran.err, ran
        assert "too long" not in bench.run("check", "--stale").err
        made = {path for path in _files(bench.folder) if not any(map(path.is_relative_to, inside))}
        assert made <= before, made - before
        for path in bench.root.rglob(".claude/**/*"):
            assert not RESERVED.fullmatch(path.name), path
            assert not path.name.startswith(("-", "..")), path
        assert not (bench.root / ".git").exists()
        assert FIRST_LINE in bench.session()

    return trial


bad_input("import path ../../x", "refuse")(_import_trial("../../x"))
bad_input("import path absolute", "refuse")(_import_trial("/etc/cron.d/x"))
bad_input("import path CON", "refuse")(_import_trial("CON"))


@bad_input("imported folder with a link outside", "refuse")
def _(bench: Bench, random: Random, plain: bool) -> None:
    bench.put(GOOD)
    stranger = bench.folder / "home" / "notes.md"
    stranger.parent.mkdir()
    stranger.write_text(FIRST.replace("The first lesson stays.", SECRET), encoding="utf-8")
    pack = bench.outside / "pack"
    pack.mkdir()
    (pack / "good.md").write_text(FIRST.replace("first", "imported"), encoding="utf-8")
    targets = [str(stranger), "../../home/notes.md", f"{pack}/../../home/notes.md"]
    target, hops = (targets[0], 0) if plain else (random.choice(targets), random.randint(0, 2))
    for hop in range(hops):
        (pack / f"hop{hop}").symlink_to(target)
        target = f"hop{hop}"
    (pack / "more.md").symlink_to(target)
    if not plain and random.random() < 0.3:
        os.mkfifo(pack / "pipe.md")
    bench.run("import", str(pack))
    assert SECRET not in bench.registry.read_text(encoding="utf-8")


def _export_trial(put: Callable[[Path, Bench, Random | None], None]) -> Trial:
    def trial(bench: Bench, random: Random, plain: bool) -> None:
        bench.put(GOOD)
        target = bench.outside / "out.md"
        put(target, bench, None if plain else random)
        before = target.read_bytes() if target.is_file() and not target.is_symlink() else None
        forms = [("export",), ("export", "--format", "json"), ("export", "--all")]
        form = forms[0] if plain else random.choice(forms)
        ran = bench.run(*form, "-o", str(target))
        assert ran.code == 1, ran
        assert str(target) in ran.err, ran
        if before is not None:
            assert target.read_bytes() == before
            assert bench.run(*form, "--force", "-o", str(target)).code == 0
            assert b"The first lesson stays." in target.read_bytes()
        else:
            assert bench.run(*form, "--force", "-o", str(target)).code == 1
            assert not [path for path in _files(bench.outside) if path.name.endswith("-tmp")]
        assert sorted(bench.outside.iterdir()) == [target]

    return trial


def _put_file(target: Path, bench: Bench, random: Random | None) -> None:
    target.write_bytes(b"mine" if random is None else random.randbytes(random.randint(0, 9)))


def _put_link(target: Path, bench: Bench, random: Random | None) -> None:
    missing, folder = bench.folder / "home" / "new", bench.root
    target.symlink_to(
        bench.secret if random is None else random.choice([bench.secret, missing, folder, target])
    )


bad_input("export onto an existing file", "refuse")(_export_trial(_put_file))
bad_input("export onto a link", "refuse")(_export_trial(_put_link))
