"""YAML of plain data, read and written so that nothing changes on the way: days stay the text they are."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from qlearn.lines import split_lines
from qlearn.text import hidden

if TYPE_CHECKING:
    import yaml

_WIDE = 1_000_000
_MOST_PARTS = 100_000
_DEEPEST = 50
_DAY = "tag:yaml.org,2002:timestamp"


def load(text: str) -> Any:
    """Read YAML.

    Raises:
        ValueError: It is no YAML, or no plain data; the message says where.
    """
    return read(text)[0]


def read(text: str) -> tuple[Any, yaml.Node | None]:
    """Read YAML, and where everything stands in it; days are texts.

    Raises:
        ValueError: It is no YAML, or no plain data; the message says where.
    """
    import yaml

    try:
        loader = _loader()(text)
        node = loader.get_single_node()
        size, depth = _measure(node, {}) if node else (0, 0)
        if "*" in text and size > _MOST_PARTS:
            raise ValueError("its references unfold to too much")
        if depth > _DEEPEST:
            raise ValueError("nested too deep")
        return (loader.construct_document(node) if node else None), node
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"line {mark.line + 1}: " if mark else ""
        raise ValueError(f"{place}{error.problem or error.context or 'no YAML'}") from None
    except yaml.reader.ReaderError as error:
        lineno = len(split_lines(text[: error.position] + "x"))
        raise ValueError(f"line {lineno}: the character U+{ord(text[error.position]):04X}") from None
    except RecursionError:
        raise ValueError("nested too deep") from None
    except (TypeError, LookupError) as error:  # tags that do not fit their values: `!!bool x`, `!!int ""`
        raise ValueError(f"a value that its tag does not fit ({error})") from None


def flow(value: object) -> str:
    """Write a value on one line."""
    return _dumped(value, one_line=True).removesuffix("\n").removesuffix("\n...")


def block(value: object) -> str:
    """Write a value for people: a line a key, long texts as they stand, short lists on one line."""
    return _dumped(value, one_line=False)


def _measure(node: yaml.Node, known: dict[int, tuple[float, float]]) -> tuple[float, float]:
    """How many parts a node has with all references followed, and how deep they are nested.

    Both are without end if it holds itself.
    """
    if id(node) not in known:
        known[id(node)] = float("inf"), float("inf")
        parts = node.value if isinstance(node.value, list) else ()
        children = [each for part in parts for each in (part if isinstance(part, tuple) else (part,))]
        sizes = [_measure(child, known) for child in children]
        known[id(node)] = 1 + sum(size for size, _ in sizes), 1 + max((deep for _, deep in sizes), default=0)
    return known[id(node)]


def _dumped(value: object, *, one_line: bool) -> str:
    import yaml

    def dumped(allow_unicode: bool) -> str:
        text: str = yaml.dump(
            value,
            Dumper=_dumper(one_line),
            allow_unicode=allow_unicode,
            default_flow_style=one_line,
            sort_keys=False,
            width=_WIDE,
        )
        return text

    text = dumped(allow_unicode=True)
    return dumped(allow_unicode=False) if hidden(text) else text


@cache
def _loader() -> type[yaml.SafeLoader]:
    import yaml

    class Loader(yaml.SafeLoader):
        """Reads no days, no bytes and no sets."""

    Loader.yaml_implicit_resolvers = _without_days(yaml.SafeLoader.yaml_implicit_resolvers)
    text = yaml.SafeLoader.yaml_constructors["tag:yaml.org,2002:str"]
    Loader.yaml_constructors = {
        tag: text if tag == _DAY else constructor
        for tag, constructor in yaml.SafeLoader.yaml_constructors.items()
        if tag is None or tag.rpartition(":")[2] not in ("binary", "set", "omap", "pairs")
    }
    return Loader


@cache
def _dumper(one_line: bool) -> type[yaml.SafeDumper]:
    import yaml

    class Dumper(yaml.SafeDumper):
        """Quotes no days and has no references; a list is indented below its key."""

        def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002
            return True

        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
            return super().increase_indent(flow, False)

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        style = None if "\n" not in value else '"' if one_line or value.endswith("\n\n") else "|"
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    def items(dumper: yaml.SafeDumper, value: list[object]) -> yaml.SequenceNode:
        short = all(not isinstance(each, (list, dict)) and "\n" not in str(each) for each in value)
        return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=one_line or short)

    Dumper.add_representer(str, text)
    Dumper.add_representer(list, items)
    Dumper.yaml_implicit_resolvers = _without_days(yaml.SafeDumper.yaml_implicit_resolvers)
    return Dumper


def _without_days(resolvers: dict[str, list[tuple[str, Any]]]) -> dict[str, list[tuple[str, Any]]]:
    return {
        first: [(tag, pattern) for tag, pattern in rules if tag != _DAY] for first, rules in resolvers.items()
    }
