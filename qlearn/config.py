"""What can be set, where, and what holds.

    default < the user's config.toml < the project's .qe/qlearn.toml < environment

A project's file comes with its repository, from people the user may not know. So it sets numbers and nothing
else: no command, no path, nothing that switches something on.
"""

from __future__ import annotations

from qlearn import project, store
from qlearn.errors import Problem, StoreError
from qlearn.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qlearn.paths import UserPaths

_LARGEST_FILE = 64 << 10


class Config(NamedTuple):
    """What holds, each value in its range."""

    top: int = 5
    """How many learnings a session starts with."""

    max_chars: int = 2000
    """The most that is injected at a time, in UTF-16 units. The clients cut at 10,000."""

    promotion: str = "offer"
    """"auto" promotes a learning that holds in several projects without asking."""

    observe: bool = True
    """False stops observation everywhere; True leaves it to what was said for each project."""

    observer: bool = False
    """Whether the end of a turn may start `qlearn distill` in the background."""

    observer_minutes: int = 5
    """How long it waits at least before it starts it again."""

    model_command: str = ""
    """The program `distill` asks, as a shell would split it."""


class Loaded(NamedTuple):
    """What holds, and what was ignored."""

    config: Config
    problems: tuple[Problem, ...]


_RANGES = {"top": (1, 50), "max_chars": (200, 9500), "observer_minutes": (5, 24 * 60)}
_CHOICES = {"promotion": ("offer", "auto")}
_PROJECT_KEYS = ("top", "max_chars")
_VARIABLES = {"QLEARN_TOP": "top", "QLEARN_MAX_CHARS": "max_chars"}
_OFF = ("0", "off", "false", "no")


def load(root: str, user: UserPaths | None, environ: Mapping[str, str]) -> Loaded:
    """Read all settings; what is wrong is told and ignored, and never raises.

    Args:
        root: The project's folder, "" without one.
        user: The user's folders, None without a home.
    """
    loaded = Loaded(Config(), ())
    if user:
        loaded = _with_file(loaded, user.settings, user.config, Config._fields)
    if root:
        loaded = _with_file(loaded, project.SETTINGS, root, _PROJECT_KEYS)
    return with_environment(loaded, environ)


def with_text(loaded: Loaded, text: str, *, name: str, keys: tuple[str, ...] = Config._fields) -> Loaded:
    """Lay the settings of a TOML file over others.

    Args:
        name: What to call the file where something is wrong.
        keys: What it may set.
    """
    # 5 ms, which only those who set something should pay.
    import tomllib

    try:
        values = tomllib.loads(text)
    # A number of 5,000 digits is a plain ValueError.
    except (ValueError, RecursionError) as error:
        return _told(loaded, Problem(_lineno_of(error), f"{name}: no TOML, so ignored as a whole: {error}"))
    for key, value in values.items():
        lineno = _lineno_of_key(text, key)
        if key in keys:
            loaded = _with_value(loaded, key, value, f"{name}: {key}", lineno)
        else:
            where = "; only the user's config.toml sets it" if key in Config._fields else ""
            loaded = _told(loaded, Problem(lineno, f"{name}: no setting {_shown(key)}{where}", "warning"))
    return loaded


def with_environment(loaded: Loaded, environ: Mapping[str, str]) -> Loaded:
    """Lay `QLEARN_TOP`, `QLEARN_MAX_CHARS` and `QLEARN_OBSERVE=0` over other settings; empty is unset."""
    for variable, key in _VARIABLES.items():
        if text := environ.get(variable, "").strip():
            number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text
            loaded = _with_value(loaded, key, number, variable, 1)
    if environ.get("QLEARN_OBSERVE", "").strip().lower() in _OFF:
        loaded = loaded._replace(config=loaded.config._replace(observe=False))
    return loaded


def _with_file(loaded: Loaded, path: str, root: str, keys: tuple[str, ...]) -> Loaded:
    try:
        data = store.read(path, root=root, limit=_LARGEST_FILE, may_be_empty=True)
        return with_text(loaded, data.decode("utf-8-sig"), name=path, keys=keys) if data else loaded
    except (StoreError, UnicodeDecodeError) as error:
        return _told(loaded, Problem(1, f"{path}: ignored as a whole: {error}"))


def _with_value(loaded: Loaded, key: str, value: object, name: str, lineno: int) -> Loaded:
    default = getattr(Config(), key)
    if type(value) is not type(default):
        kind = {int: "no whole number", bool: "neither true nor false", str: "no text"}[type(default)]
        return _told(loaded, Problem(lineno, f"{name} = {_shown(value)} is {kind}, so ignored"))
    if key in _CHOICES and value not in _CHOICES[key]:
        choices = " or ".join(_CHOICES[key])
        return _told(loaded, Problem(lineno, f"{name} = {_shown(value)} is not {choices}, so ignored"))
    if isinstance(value, int) and key in _RANGES:
        low, high = _RANGES[key]
        if not low <= value <= high:
            told = f"{name} = {_shown(value)} is not within {low} and {high}; the nearest of them holds"
            loaded = _told(loaded, Problem(lineno, told, "warning"))
            value = min(max(value, low), high)
    return loaded._replace(config=Config(**{**loaded.config._asdict(), key: value}))


def _told(loaded: Loaded, problem: Problem) -> Loaded:
    return loaded._replace(problems=(*loaded.problems, problem))


def _shown(value: object) -> str:
    """Quote a value that may be long, or hold what a terminal obeys."""
    text = ascii(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _lineno_of_key(text: str, key: str) -> int:
    names = (line.partition("=")[0].strip() for line in text.split("\n"))
    return next((lineno for lineno, name in enumerate(names, 1) if name == key), 1)


def _lineno_of(error: BaseException) -> int:
    digits = str(error).partition("(at line ")[2].partition(",")[0]
    return int(digits) if digits.isdigit() else 1
