"""What may come from a client, a shell or the repository that one works in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from .bench import FIRST_LINE, GOOD, SECONDS, Bench, bad_input
from .files import spoiled
from .texts import varied

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


GIT_HOOKS = (
    "pre-commit",
    "post-checkout",
    "reference-transaction",
    "post-index-change",
    "fsmonitor-watchman",
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


def _hostile_config(bench: Bench) -> str:
    """Write settings that make git run a program at every turn, if it is let."""
    run = f"touch {bench.canary}"
    names = ["fsmonitor", "sshCommand", "pager", "editor", "askPass", "gitProxy"]
    return (
        "".join(f"[core]\n\t{name} = {run}\n" for name in names)
        + f'[remote "origin"]\n\turl = ext::{run}\n\tuploadpack = {run}\n'
        + f'[diff "evil"]\n\ttextconv = {run}\n\tcommand = {run}\n[diff]\n\texternal = {run}\n'
        + f'[filter "evil"]\n\tclean = {run}\n\tsmudge = {run}\n[log]\n\tshowSignature = true\n'
        + f"[gpg]\n\tprogram = {run}\n[credential]\n\thelper = !{run}\n[alias]\n\tlog = !{run}\n"
    )


@bad_input("GIT_DIR", "refuse", share=0.2)
def _(bench: Bench, random: Random, plain: bool) -> None:
    bench.put(GOOD)
    git = bench.root / ".git"
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    config = f"{_hostile_config(bench)}[include]\n\tpath = {bench.secret}\n".encode()
    (git / "config").write_bytes(config if plain else spoiled(config, random))
    environ = {"GIT_DIR": str(bench.outside), "GIT_WORK_TREE": "/", "GIT_CONFIG_GLOBAL": str(git / "config")}
    if not plain:
        name = random.choice(
            ["GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_CEILING_DIRECTORIES", "GIT_COMMON_DIR"]
        )
        environ[name] = f"touch {bench.canary}"
    assert FIRST_LINE in bench.hook(bench.payload(), {**bench.environ, **environ})
    with patch.dict(os.environ, environ):
        assert bench.run("add", "One more lesson.").code == 0
        assert bench.run("check", "--stale").code == 0
    assert not bench.canary.exists()


@bad_input("hooks when calling git", "refuse", share=0.04)
def _(bench: Bench, random: Random, plain: bool) -> None:
    def git(*arguments: str) -> None:
        named = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(
            ["git", *named, *arguments], cwd=bench.root, check=True, capture_output=True, timeout=SECONDS
        )

    bench.put(GOOD.replace("- **Date**", "- **Files**: a.py\n- **Date**"))
    (bench.root / "a.py").write_text("1\n", encoding="utf-8")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    (bench.root / ".gitattributes").write_text("* diff=evil filter=evil\n", encoding="utf-8")
    with (bench.root / ".git" / "config").open("a", encoding="utf-8") as file:
        file.write(_hostile_config(bench))
    for name in GIT_HOOKS:
        hook = bench.root / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {bench.canary}\n", encoding="utf-8")
        hook.chmod(0o755)
    ways = [("check", "--stale"), ("check", "--parents"), ("merge",), ("init", "--merge-driver"), ("status",)]
    for way in ways if plain else random.sample(ways, 2):
        bench.run(*way)
    assert not bench.canary.exists()
    git("status")
    assert bench.canary.exists(), "the trap was none"


@bad_input("settings of a hostile repository", "refuse", share=0.2)
def _(bench: Bench, random: Random, plain: bool) -> None:
    bench.put(GOOD)
    own = bench.root / "qlearn-hook"
    own.write_text(f"#!/bin/sh\ntouch {bench.canary}\n", encoding="utf-8")
    own.chmod(0o755)
    run = f"touch {bench.canary}"
    python = f"{sys.executable} -c 'open({str(bench.canary)!r}, chr(119))' qlearn-hook"
    elsewhere = f"{bench.folder}/x/../project/qlearn-hook"
    commands = [
        f"{run}; qlearn-hook", f"qlearn-hook `{run}`", f"sh -c '{run}' qlearn-hook", f"sh {own}", str(own),
        f"{own} #", "./qlearn-hook", f"env -C {bench.root} ./qlearn-hook", f"'{own}'", elsewhere, python,
        f"qlearn-hook\n{run}", f"qlearn-hook && {run}",
    ]  # fmt: skip
    command = commands[0] if plain else varied(random.choice(commands), random)
    hooks = {"SessionStart": [{"hooks": [{"type": "command", "command": command}]}]}
    settings = (
        bench.root
        / ".claude"
        / ("settings.json" if plain else random.choice(["settings.json", "settings.local.json"]))
    )
    settings.parent.mkdir()
    settings.write_bytes(json.dumps({"hooks": hooks}).encode())
    (bench.root / ".qe" / "qlearn.toml").write_text(
        f'model_command = "{run}"\nobserver = true\n', encoding="utf-8"
    )
    for arguments in (("doctor",), ("status",), ("distill",)):
        bench.run(*arguments)
    bench.hook(bench.payload(hook_event_name="Stop", transcript_path="/nowhere"))
    assert not bench.canary.exists()
