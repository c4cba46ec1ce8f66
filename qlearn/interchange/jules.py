"""The journals of Jules, `.jules/*.md`.

An entry is a day and a title, then Learning and Action, or Vulnerability, Learning and Prevention.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qlearn.interchange.foreign import read_each
from qlearn.interchange.lessons import Reader
from qlearn.interchange.outline import outline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qlearn.interchange import Reading

NAME = "jules"

_PATH = re.compile(r"(?:\A|/)\.jules/(?:[^/]+/)*[^/]+\.md\Z", re.IGNORECASE)


def recognises(path: str, text: str) -> int:  # noqa: ARG001 - the path decides
    """How surely a file is such a journal: 2 by its folder."""
    return 2 if _PATH.search(path) else 0


def read(files: Mapping[str, str]) -> Reading:
    """Read journals, each by itself."""
    return read_each(files, lambda path, text: Reader(NAME, path, outline(text)).reading())
