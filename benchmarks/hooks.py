"""What a hook costs as a whole process, against a Python that does nothing.

python -m benchmarks.hooks
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import Run, bare_python, compare, registry
from qlearn import observing, paths
from qlearn.project import find

LAUNCHER = Path(__file__).parent.parent / "qlearn" / "hooks" / "launch.py"
# What an event's payload holds beside the common fields.
EVENTS: dict[str, dict[str, object]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {
        "prompt": "the nightly job warms the cache before the migration has run, please find out why the"
        " index on orders.customer_email is not used and write the alembic revision"
    },
    "PostToolUseFailure": {
        "tool_name": "Bash",
        "error": "Exit code 1\nTraceback (most recent call last):\n"
        '  File "/srv/app/src/main.py", line 3, in <module>\n    from orders.parser import Parser\n'
        '  File "/srv/app/orders/parser.py", line 9, in <module>\n    from main import token\n'
        "ImportError: cannot import name 'token' from partially initialized module 'main' (circular import)",
    },
}
# What is recorded where a project is observed; nothing of it depends on the registry.
OBSERVED: dict[str, dict[str, object]] = {
    "PreToolUse": {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "t1"},
    "PostToolUse": {
        "tool_name": "Bash",
        "tool_input": {"command": "cd app && PYTHONPATH=. uv run pytest -q tests/test_orders.py -k total"},
        "tool_response": {
            "stdout": "tests/test_orders.py .......\n" * 40,
            "stderr": "",
            "interrupted": False,
        },
        "tool_use_id": "t1",
    },
}


def main() -> None:
    """Print the table."""
    print("| event | entries | hook, ms | `python -c pass`, ms | ratio |")
    print("|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        home.mkdir()
        environ = {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath)}
        for entries in (100, 1_000, 10_000):
            project = Path(folder, str(entries))
            (project / ".qe").mkdir(parents=True)
            (project / ".qe" / "learnings.md").write_text(registry(entries), encoding="utf-8")
            for event, more in EVENTS.items():
                _print(event, f"{entries:,}", project, more, environ)
        observing.turn(paths.find(environ), find(str(project), {}), on=True)
        for event, more in OBSERVED.items():
            _print(f"{event}, observed", "-", project, more, environ)


def _print(event: str, entries: str, project: Path, more: dict[str, object], environ: dict[str, str]) -> None:
    payload = {"session_id": "s", "cwd": str(project), "hook_event_name": event.split(",")[0], **more}
    hook = Run([sys.executable, "-I", "-S", str(LAUNCHER)], json.dumps(payload).encode(), environ)
    result = compare(hook, bare_python())
    mine, bare = result.seconds * 1e3, result.peer_seconds * 1e3
    print(f"| {event} | {entries} | {mine:.1f} | {bare:.1f} | {result.ratio:.2f} |")


if __name__ == "__main__":
    main()
