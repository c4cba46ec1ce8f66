"""A project with learnings, for clients that are run for real."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

TASK = "Why does the circular import error come up in the memory module?"
ERROR = "pydantic typer start-up time"
REGISTRY = f"""\
### L001: Pin the lockfile
- **Type**: mistake
- **Severity**: critical
- **Date**: {dt.datetime.now(dt.UTC).date()}
- **Learning**: Pin the lockfile before a release, marmalade.

---

### L002: Circular imports of the memory module
- **Type**: gotcha
- **Severity**: important
- **Date**: 2026-01-01
- **Learning**: A circular import error in the memory module means that Store is imported too early.

---

### L003: Typer brings pydantic in
- **Type**: gotcha
- **Severity**: info
- **Date**: 2026-01-01
- **Learning**: Typer 0.29 brings pydantic in, which slows the start-up time of every command.

---
"""
FIRST = "  1. L001 [mistake/critical] Pin the lockfile before a release, marmalade."


@pytest.fixture
def remembered(tmp_path: Path) -> Path:
    """A project of three learnings: one for every session, one for `TASK`, one for `ERROR`."""
    (tmp_path / "project" / ".qe").mkdir(parents=True)
    (tmp_path / "project" / ".qe" / "learnings.md").write_text(REGISTRY, encoding="utf-8")
    return tmp_path / "project"
