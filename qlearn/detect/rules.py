"""What a learning tells to do and to leave, as far as commands and paths decide it."""

from __future__ import annotations

import re

from qlearn.command import parse
from qlearn.patterns import any_of
from qlearn.record import TYPE_CHECKING, NamedTuple

from .alternatives import CLASS_OF, SPOKEN, tools_of

if TYPE_CHECKING:
    from qlearn.learning import Learning
    from qlearn.observation import Observation


class Rule(NamedTuple):
    """Commands and tools to prefer and to avoid, and paths that are not to be edited."""

    prefer: tuple[str, ...]
    avoid: tuple[str, ...]
    untouched: tuple[str, ...]

    @property
    def decidable(self) -> bool:
        """Whether a command or a path can show that it was followed or not."""
        return bool(self.prefer or self.avoid or self.untouched)


# What stands right before a name that is to be avoided, or right after it.
_AGAINST = any_of(
    r"""
    \b(?:not|never|don'?t|do not)(?: run| use| call)?(?: the| an?)? ?`?$
    \b(?:instead of|rather than|avoid(?:ing)?|over)(?: the| an?)? ?`?$
    \b(?:no|nunca)(?: usar| uses| ejecutar)?(?: el| la)? ?`?$
    \b(?:en vez de|en lugar de|evitar)(?: el| la)? ?`?$
    (?:不要用?|别用?|而不是|不用|避免|禁止) ?`?$
    """
)
_AGAINST_AFTER = re.compile(r"`? ?(?:말고|대신|쓰지 ?마|쓰지 ?말|사용 ?금지)")
_FOR = any_of(
    r"""
    \b(?:use|run|with|through|via|by)(?: the)? ?`?$
    \b(?:usar?|usamos|con|ejecutar?|correr?)(?: el| la)? ?`?$
    (?:用|跑|运行) ?`?$
    """
)
_FOR_AFTER = re.compile(r"`?[을를로]? ?(?:쓴|써|사용|돌|실행)")
_UNTOUCHED = any_of(
    r"""
    \b(?:never|don'?t|do not|no)\b[^.`]{0,20}\b(?:edit|touch|change|modify|editar|tocar)\b[^.`]{0,30}`?$
    \bno se editan?[^.`]{0,20}`?$
    (?:不要|别)改[^。`]{0,10}`?$
    """
)
_MENTION = re.compile(r"`([^`\n]+)`|(?<![\w./-])([A-Za-z][\w-]{1,20})(?![\w/-]|\.\w)", re.ASCII)


def rule_of(learning: Learning) -> Rule:
    """Read the rule out of title and text.

    A name counts if it is a tool that has alternatives, or stands in backticks. A name that is avoided
    anywhere in the entry is never preferred.
    """
    prefer: dict[str, None] = {}
    avoid: dict[str, None] = {}
    untouched: dict[str, None] = {}
    others: dict[str, None] = {}
    for text in dict.fromkeys((learning.title, learning.learning)):
        for match in _MENTION.finditer(text):
            name = match[1] or SPOKEN.get(match[2].casefold(), match[2].casefold())
            if not match[1] and (name not in CLASS_OF or name in _PROSE):
                continue
            before, after = text[max(0, match.start() - 60) : match.start()], text[match.end() :]
            if match[1] and _is_path(name):
                if _UNTOUCHED.search(before):
                    untouched.setdefault(name)
            elif _AGAINST.search(before) or _AGAINST_AFTER.match(after):
                avoid.setdefault(name)
            elif _FOR.search(before) or _FOR_AFTER.match(after):
                prefer.setdefault(name)
            else:
                others.setdefault(name)
    for name in others:  # `podman en vez de docker`: what stands beside what is avoided
        if any(name in CLASS_OF.get(one, ()) for one in avoid):
            prefer.setdefault(name)
    return Rule(tuple(name for name in prefer if name not in avoid), tuple(avoid), tuple(untouched))


_PROSE = frozenset({"find", "make", "cat", "task", "just", "http", "black", "hatch", "rye"})


def _is_path(name: str) -> bool:
    return " " not in name and ("/" in name or name.endswith((".py", ".ts", ".js", ".go", ".json", ".md")))


def does(call: Observation, name: str) -> bool:
    """Whether a shell call runs a tool or a command: its program, subcommands and flags."""
    if call.tool != "Bash":
        return False
    if name in CLASS_OF:
        return name in tools_of(call)
    wanted = [part for one in parse(name) for part in (one.key, *one.wrappers)]
    if not wanted:
        return False
    have = [(one.key, *one.wrappers) for one in parse(call.input)]
    words = frozenset(word for part in wanted for word in part.split() if not word.startswith("<"))
    return any(words <= frozenset(word for part in parts for word in part.split()) for parts in have)


def touches(call: Observation, path: str) -> bool:
    """Whether a call edits a file at or below a path."""
    if call.tool not in ("Edit", "Write"):
        return False
    folder = path.rstrip("/*")
    return call.path == folder or call.path.startswith(folder + "/") or f"/{folder}/" in call.path


def breaks(call: Observation, rule: Rule) -> bool:
    """Whether a call that succeeded does what the rule says to leave."""
    if call.event != "PostToolUse" or any(does(call, name) for name in rule.prefer):
        return False
    return any(does(call, name) for name in rule.avoid) or any(touches(call, path) for path in rule.untouched)


def keeps(call: Observation, rule: Rule) -> bool:
    """Whether a call that succeeded does what the rule prefers."""
    return call.event == "PostToolUse" and any(does(call, name) for name in rule.prefer)
