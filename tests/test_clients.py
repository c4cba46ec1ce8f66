"""The hooks in a client's settings, and everything else in there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.clients import (
    CLAUDE_CODE,
    CURSOR,
    GEMINI,
    hook_command,
    registrations,
    wanted_hooks,
    with_hooks,
    without_hooks,
)
from qlearn.errors import QlearnError

COMMAND = "/usr/bin/python3 -I -S /opt/qlearn/hooks/launch.py || exit 0"
OURS = {"type": "command", "command": COMMAND, "timeout": 10}
THEIRS = {"type": "command", "command": "./lint.sh"}
HOOKS = CLAUDE_CODE.hooks
WANTED = wanted_hooks(COMMAND, CLAUDE_CODE)


def groups(settings: str) -> dict[str, object]:
    hooks: dict[str, object] = json.loads(settings)["hooks"]
    return hooks


def test_new_settings_hold_every_hook() -> None:
    text = with_hooks("", COMMAND)
    assert groups(text)["SessionStart"] == [{"hooks": [OURS]}]
    assert groups(text)["PreToolUse"] == [{"hooks": [{**OURS, "async": True}]}]
    assert registrations(text) == WANTED
    assert text.endswith("}\n")


def test_the_plugin_registers_the_same_hooks() -> None:
    text = (Path(__file__).parents[1] / "hooks/hooks.json").read_text(encoding="utf-8")
    assert [(each.event, each.timeout, each.asynchronous) for each in registrations(text)] == list(HOOKS)


def test_gemini_counts_milliseconds() -> None:
    text = with_hooks("", COMMAND, GEMINI)
    assert groups(text) == {
        event: [{"hooks": [{"type": "command", "command": COMMAND, "timeout": timeout}]}]
        for event, timeout in (
            ("SessionStart", 10_000),
            ("BeforeAgent", 10_000),
            ("BeforeTool", 10_000),
            ("AfterTool", 10_000),
            ("AfterAgent", 60_000),
        )
    }
    assert registrations(text, GEMINI) == wanted_hooks(COMMAND, GEMINI)


def test_cursor_has_no_groups_and_a_version() -> None:
    text = with_hooks("", COMMAND, CURSOR)
    assert json.loads(text)["version"] == 1
    assert groups(text)["sessionStart"] == [OURS]
    assert [*groups(text)] == [
        "sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure", "stop",
    ]  # fmt: skip
    theirs = '{"version": 1, "hooks": {"stop": [{"command": "./say.sh"}], "afterFileEdit": [1]}}'
    both = with_hooks(theirs, COMMAND, CURSOR)
    assert groups(both)["stop"] == [{"command": "./say.sh"}, {**OURS, "timeout": 60}]
    assert with_hooks(both, COMMAND, CURSOR) == both
    assert without_hooks(both, CURSOR) == theirs
    assert without_hooks(text, CURSOR) == CURSOR.empty


def test_twice_is_once() -> None:
    text = with_hooks("", COMMAND)
    assert with_hooks(text, COMMAND) == text
    assert without_hooks(without_hooks(text)) == without_hooks(text) == "{}\n"


def test_another_command_takes_the_place_of_an_old_one() -> None:
    old = with_hooks(
        '{\n  "hooks": {\n    "PreCompact": []\n  }\n}\n', "/old/python -I -S '/my qlearn/hooks/launch.py'"
    )
    assert with_hooks(old, COMMAND) == with_hooks('{\n  "hooks": {\n    "PreCompact": []\n  }\n}\n', COMMAND)
    twice = with_hooks("", COMMAND).replace('"hooks": [\n', '"hooks": [\n' + json.dumps(OURS) + ",\n", 1)
    assert len(registrations(twice)) == len(HOOKS) + 1
    assert len(registrations(with_hooks(twice, COMMAND))) == len(HOOKS)


def test_everything_else_keeps_its_bytes() -> None:
    permissions = '{\n\t"permissions": {"allow": ["Bash(ls)",\n\t\t"\\u00e9"] },\n\t'
    before = permissions + '"hooks": {\n\t\t"PreCompact": [ ]\n\t}\n}'
    after = with_hooks(before, COMMAND)
    assert after.startswith(permissions + '"hooks": {\n\t\t"PreCompact": [ ],\n')
    assert '\n\t\t"SessionStart": [\n\t\t\t{\n\t\t\t\t"hooks": [\n' in after
    assert without_hooks(after) == before


def test_a_hook_in_a_group_with_others_goes_alone() -> None:
    before = json.dumps({"hooks": {"SessionStart": [{"matcher": "x", "hooks": [THEIRS]}]}}, indent=2)
    shared = json.dumps({"hooks": {"SessionStart": [{"matcher": "x", "hooks": [THEIRS, OURS]}]}}, indent=2)
    first = json.dumps({"hooks": {"SessionStart": [{"matcher": "x", "hooks": [OURS, THEIRS]}]}}, indent=2)
    assert without_hooks(shared) == before
    assert json.loads(without_hooks(first)) == json.loads(before)


def test_the_plugins_own_commands_and_old_names_are_known() -> None:
    for command in (
        "sh /p/hooks/qlearn-hook",
        "qlearn-hook",
        "qlearn-hook.exe",
        r"C:\py.exe C:\x\qlearn\hooks\launch.py",
        "'/a b/qlearn-hook'",
    ):
        text = json.dumps({"hooks": {"SessionStart": [{"hooks": [{"command": command}]}]}})
        assert [each.command for each in registrations(text)] == [command]
    for command in (
        "my-qlearn-hooked",
        "qlearn-hook-log",
        "cat qlearn-hook.log",
        "qlearn review",
        "./hooks/launch.py",
    ):
        assert (
            registrations(json.dumps({"hooks": {"SessionStart": [{"hooks": [{"command": command}]}]}})) == ()
        )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no JSON \\(Expecting property name enclosed in double quotes: line 1 column 2"),
        ('{"a": 1,}', "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "no JSON object"),
        ('{"hooks": []}', '"hooks" is no object'),
        ('{"hooks": {"PreCompact": {}}}', '"hooks" has no array for PreCompact'),
    ],
)
def test_broken_settings_are_refused(text: str, message: str) -> None:
    for edit in (lambda: with_hooks(text, COMMAND), lambda: without_hooks(text), lambda: registrations(text)):
        with pytest.raises(QlearnError, match=message):
            edit()


def test_odd_settings_that_are_not_ours_do_not_matter() -> None:
    text = '{"hooks": {"PreCompact": [1, {"hooks": 2}, {"hooks": [3, {"command": 4}]}]}}'
    assert registrations(text) == ()
    assert without_hooks(text) == text


def test_a_mark_of_byte_order_and_the_line_ends_stay() -> None:
    after = with_hooks('\ufeff{\r\n  "a": 1\r\n}\r\n', COMMAND)
    assert after.startswith('\ufeff{\r\n  "a": 1,\r\n  "hooks": {\r\n')
    assert after.count("\n") == after.count("\r\n")
    assert without_hooks(after) == '\ufeff{\r\n  "a": 1\r\n}\r\n'


def test_of_a_name_that_stands_twice_the_last_one_counts() -> None:
    after = with_hooks('{"hooks": {"Notification": []}, "hooks": {"PreCompact": []}}', COMMAND)
    assert list(groups(after)) == ["PreCompact", *(hook.event for hook in HOOKS)]
    assert without_hooks(after) == '{"hooks": {"Notification": []}, "hooks": {"PreCompact": []}}'


def test_a_command_holds_paths_with_spaces_and_signs() -> None:
    assert hook_command("/usr/bin/python3", "/opt/qlearn/hooks/launch.py") == COMMAND
    assert hook_command("/my py/python", "/a $b/l.py") == "'/my py/python' -I -S '/a $b/l.py' || exit 0"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
HANDLERS = st.sampled_from([OURS, THEIRS, {"command": "qlearn-hook"}, {"type": "prompt"}])
EVENTS = st.sampled_from(["SessionStart", "Stop", "PreCompact", "Notification"])


@st.composite
def settings(draw: st.DrawFn, handlers: st.SearchStrategy[object] = HANDLERS) -> str:
    """Settings in some layout, with hooks or without, before or behind other things."""
    groups = st.fixed_dictionaries(
        {"hooks": st.lists(handlers, min_size=1, max_size=3)}, optional={"matcher": JSON}
    )
    hooks = draw(st.none() | st.dictionaries(EVENTS, st.lists(groups, min_size=1, max_size=3), min_size=1))
    others = draw(st.dictionaries(st.text(max_size=5).filter(lambda key: key != "hooks"), JSON, max_size=3))
    named = {} if hooks is None else {"hooks": hooks}
    whole = {**named, **others} if draw(st.booleans()) else {**others, **named}
    separators = draw(st.sampled_from([None, (",", ":"), (" , ", " : ")]))
    return json.dumps(whole, indent=draw(st.sampled_from([None, 0, 2, 4, "\t"])), separators=separators)


def theirs(text: str) -> object:
    """All that settings hold, without hooks of qlearn's and what they leave empty."""
    whole = json.loads(text)
    hooks = [
        (event, group.get("matcher"), handler)
        for event, groups in whole.pop("hooks", {}).items()
        for group in groups
        for handler in group["hooks"]
        if "qlearn" not in handler.get("command", "")
    ]
    return whole, hooks


@given(settings())
def test_any_settings_lose_nothing_and_gain_the_hooks_once(text: str) -> None:
    full, bare = with_hooks(text, COMMAND), without_hooks(text)
    assert sorted(map(repr, registrations(full))) == sorted(map(repr, WANTED))
    assert registrations(bare) == ()
    assert theirs(full) == theirs(bare) == theirs(text)
    assert with_hooks(full, COMMAND) == full
    assert without_hooks(bare) == bare


@given(settings(st.sampled_from([THEIRS, {"type": "prompt"}])))
def test_any_settings_are_the_same_again_without_the_hooks(text: str) -> None:
    assert without_hooks(with_hooks(text, COMMAND)) == text
