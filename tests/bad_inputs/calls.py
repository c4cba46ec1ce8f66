"""What may come from a client, a shell or the repository that one works in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .bench import FIRST_LINE, GOOD, SECONDS, Bench, bad_input
from .files import spoiled

if TYPE_CHECKING:
    from random import Random

ROOT = Path(__file__).parents[2]
LAUNCHER = ROOT / "qlearn" / "hooks" / "launch.py"
PLUGIN_HOOK = ROOT / "hooks" / "qlearn-hook"
PYTHON = str(Path(sys.executable).parent)
SHADOWED = (
    "json",
    "re",
    "os",
    "datetime",
    "sitecustomize",
    "usercustomize",
    "encodings",
    "qlearn",
    "hashlib",
    "site",
)
PROGRAMS = (
    "git",
    "python",
    "python3",
    "python3.11",
    "python3.12",
    "python3.13",
    "env",
    "sh",
    "uname",
    "command",
)


def _process(bench: Bench, data: bytes, environ: dict[str, str], *command: str | Path) -> str:
    program = command or (sys.executable, "-I", "-S", LAUNCHER)
    all_environ = {**bench.environ, **environ}
    done = subprocess.run(
        program, input=data, capture_output=True, env=all_environ, timeout=SECONDS, check=True
    )
    assert done.stderr == b"", done
    return bench.injected(done.stdout)


@bad_input("hook stdin of 100 MB", "refuse", share=0.02)
def _(bench: Bench, random: Random, plain: bool) -> None:
    bench.put(GOOD)
    size = 100_000_000 if plain else random.choice([1 << 20, (1 << 20) + 1, 3_000_000, 20_000_000])
    payload = bench.payload(prompt="")
    unit = b"x" if plain else random.choice([b"x", b" ", b"{", "漢".encode(), b"\\u0000", b"\xff"])
    for data in (
        payload.replace(b'"prompt": ""', b'"prompt": "%b"' % (unit * (size // len(unit)))),
        unit * size,
    ):
        assert _process(bench, data, {}) == ""
    assert "was left alone" in bench.log() or "no JSON" in bench.log()


@bad_input("invalid JSON", "refuse")
def _(bench: Bench, random: Random, plain: bool) -> None:
    bench.put(GOOD)
    payload = bench.payload(source="startup", prompt="Fix it", tool_input={"command": "make"})
    if plain:
        for data in (
            b"",
            b"null",
            b"[]",
            b'"x"',
            b"1e999",
            b"NaN",
            payload[:-1],
            payload + b"}",
            b"\xff" + payload,
        ):
            assert bench.hook(data) == ""
        assert "no JSON" in bench.log()
        return
    bench.hook(spoiled(payload, random))
    values: list[object] = [
        None,
        True,
        -1,
        1e300,
        [],
        {},
        "",
        "\ud800",
        "\0",
        "../" * 3000,
        [[]],
        "x" * 70_000,
    ]
    fields = json.loads(payload)
    for field in random.sample(sorted(fields), random.randint(1, 3)):
        fields[field] = random.choice(values)
    bench.hook(json.dumps(fields).encode())


@bad_input("deep nesting", "refuse")
def _(bench: Bench, random: Random, plain: bool) -> None:
    bench.put(GOOD)
    depth = 200_000 if plain else random.randint(100, 200_000)
    opening, closing = random.choice([(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")])
    nested = opening * depth + (b"" if plain else random.choice([b"", b"1" + closing * depth]))
    assert bench.hook(nested) == ""
    bench.hook(bench.payload().replace(b'"s"', nested))
    bench.put(f"{GOOD}\n### L009: deep\n- **Learning**: {'> ' * 500}{'- ' * 500}{'[' * 5000}{'*' * 5000}\n")
    assert FIRST_LINE in bench.session()


@bad_input("hostile PATH", "refuse", share=0.06)
def _(bench: Bench, random: Random, plain: bool) -> None:
    bench.put(GOOD)
    folder = bench.root if plain else bench.root / random.choice(["", "bin", ".venv/bin"])
    folder.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        (folder / name).write_text(f"#!/bin/sh\ntouch {bench.canary}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    relative = os.path.relpath(folder, bench.root)
    first = relative if plain else random.choice([relative, "", f"./{relative}", f"{relative}/"])
    path = os.pathsep.join([first, PYTHON, os.defpath])
    for command in ((), ("/bin/sh", PLUGIN_HOOK)):
        assert FIRST_LINE in _process(bench, bench.payload(), {"PATH": path}, *command)
    assert not bench.canary.exists()


@bad_input("hostile PYTHONPATH", "refuse", share=0.06)
def _(bench: Bench, random: Random, plain: bool) -> None:
    bench.put(GOOD)
    for name in SHADOWED:
        file = bench.root / (f"{name}.py" if plain else random.choice([f"{name}.py", f"{name}/__init__.py"]))
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"open({str(bench.canary)!r}, 'w').close()\n", encoding="utf-8")
    here = str(bench.root)
    environ = {
        "PATH": os.pathsep.join([PYTHON, os.defpath]),
        "PYTHONPATH": here,
        "PYTHONSTARTUP": f"{here}/json.py",
    }
    if not plain:
        ways = [{"PYTHONPATH": "."}, {"PYTHONPATH": ""}, {"PYTHONHOME": here}, {"PYTHONUSERBASE": "."}]
        moods = [
            {},
            {"PYTHONINSPECT": "1"},
            {"PYTHONWARNINGS": "error"},
            {"PYTHONVERBOSE": "1"},
            {"PYTHONUTF8": "0"},
        ]
        environ |= random.choice(ways) | random.choice(moods)
    for command in ((), ("/bin/sh", PLUGIN_HOOK)):
        assert FIRST_LINE in _process(bench, bench.payload(), environ, *command)
    assert not bench.canary.exists()


@bad_input("GIT_DIR", "refuse")
def _(bench: Bench, random: Random, plain: bool) -> None:
    bench.put(GOOD)
    git = bench.root / ".git"
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    run = f"touch {bench.canary}"
    names = ["fsmonitor", "sshCommand", "pager", "editor", "hooksPath", "askPass", "gitProxy", "worktree"]
    config = "".join(f"[core]\n\t{name} = {run}\n" for name in names)
    config += f'[include]\n\tpath = {bench.secret}\n[remote "origin"]\n\turl = ext::{run}\n'
    data = config.encode() if plain else spoiled(config.encode(), random)
    (git / "config").write_bytes(data)
    environ = {"GIT_DIR": str(bench.outside), "GIT_WORK_TREE": "/", "GIT_CONFIG_GLOBAL": str(git / "config")}
    if not plain:
        environ |= random.choice(
            [{"GIT_SSH_COMMAND": run}, {"GIT_EXTERNAL_DIFF": run}, {"GIT_CEILING_DIRECTORIES": "/"}]
        )
    assert FIRST_LINE in bench.hook(bench.payload(), {**bench.environ, **environ})
    assert bench.run("add", "One more lesson.").code == 0
    assert not bench.canary.exists()
