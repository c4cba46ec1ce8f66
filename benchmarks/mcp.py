"""What `qlearn mcp` costs: until it answers, and for each tool, against the SDK's server with one empty tool.

python -m benchmarks.mcp
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import registry

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
QLEARN = "import sys; from qlearn.cli import main; sys.exit(main(['mcp']))"
BARE = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("bare", log_level="ERROR")
@server.tool(structured_output=False)
def nothing() -> str:
    return ""
server.run("stdio")
"""
CALLS: dict[str, dict[str, object] | None] = {
    "relevant": {"task": "the nightly job warms the cache before the migration has run"},
    "search": {"query": "lockfile"},
    "show": {"names": ["L007"]},
    "proposals": {},
    "reinforce": {"ids": ["L007"]},
    "feedback": {"id": "L007", "verdict": "helpful"},
    "add": None,  # a lesson of its own each time
}
PAIRS = 15
"""Of calls; what comes before the first does not count."""


class Server:
    """A server as a process, and the messages to it."""

    def __init__(self, code: str, folder: Path) -> None:
        environ = {"HOME": str(folder), "PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=folder,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        client = {"name": "benchmark", "version": "1"}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self._send({"method": "notifications/initialized"})

    def ask(self, method: str, **params: object) -> None:
        """Send a request and wait for the answer, which is no error."""
        assert self._process.stdout is not None
        self._send({"id": 1, "method": method, "params": params})
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer or answer["result"].get("isError"):
            raise SystemExit(f"{method} {params} failed: {answer}")

    def end(self) -> None:
        """Close the server's input and wait for it."""
        self._process.communicate()

    def _send(self, message: dict[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()


def main() -> None:
    """Print the table."""
    print("| what | learnings | ms | bare server, ms | ratio |")
    print("|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for entries in (100, 10_000):
            project = Path(folder, str(entries))
            (project / ".qe").mkdir(parents=True)
            (project / ".qe/learnings.md").write_text(registry(entries), encoding="utf-8")
            if entries == 100:
                starts = [(_start(QLEARN, project), _start(BARE, project)) for _ in range(PAIRS)]
                _print("start", "-", starts)
            with _running(QLEARN, project) as server, _running(BARE, project) as bare:
                for name, arguments in CALLS.items():
                    times = [
                        (
                            _call(server, name, _lesson(number) if arguments is None else arguments),
                            _call(bare, "nothing", {}),
                        )
                        for number in range(PAIRS + 1)
                    ]
                    _print(name, f"{entries:,}", times[1:])


@contextmanager
def _running(code: str, folder: Path) -> Iterator[Server]:
    server = Server(code, folder)
    try:
        yield server
    finally:
        server.end()


def _start(code: str, folder: Path) -> float:
    """Seconds until a new server has answered the first request."""
    start = time.perf_counter()
    server = Server(code, folder)
    seconds = time.perf_counter() - start
    server.end()
    return seconds


def _call(server: Server, name: str, arguments: dict[str, object]) -> float:
    start = time.perf_counter()
    server.ask("tools/call", name=name, arguments=arguments)
    return time.perf_counter() - start


def _lesson(number: int) -> dict[str, object]:
    """A lesson like no other: none of its words is in another one."""
    words = random.Random(number)
    return {"lesson": " ".join(f"{words.getrandbits(40):x}" for _ in range(8))}


def _print(what: str, entries: str, pairs: list[tuple[float, float]]) -> None:
    mine, bare = (statistics.median(side) * 1e3 for side in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"| {what} | {entries} | {mine:.1f} | {bare:.1f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
