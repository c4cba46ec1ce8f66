"""Shell text to canonical commands: what is run, without where, with what and through which wrapper.

`parse` splits a text into simple commands the way a POSIX shell would (quotes, heredocs, subshells,
redirections, comments), without running or expanding anything. `key` makes one name out of a simple
command, so that two runs of the same thing are equal:

    program subcommand --flags <placeholders>

Flags are sorted and stand once; so do the placeholders: `<path>`, `<n>` (numbers), `<hash>`, `<url>`,
`<str>` (quoted), `<var>`, `<cmd>` (a substitution) and `<arg>` for any other word. Redirections are dropped.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .record import NamedTuple

_MAX_CHARS = 20_000  # what a person or an agent types is shorter; the rest is data in a heredoc
_MAX_DEPTH = 4  # of bash -c inside bash -c


class Word(NamedTuple):
    """One word of a command: its text without quotes.

    `bare` is how many characters stand before the first quote. `kind` is "" for plain text, else the
    placeholder for what the shell would put there.
    """

    text: str
    bare: int
    kind: str = ""


class Command(NamedTuple):
    """A simple command: `NAME=value` before it, the wrappers in front of it, and what they run."""

    assignments: tuple[str, ...]
    wrappers: tuple[str, ...]
    words: tuple[Word, ...]

    @property
    def program(self) -> str:
        """The name of what is run, without folder and version: `python` for `/usr/bin/python3.11`."""
        return _program(self.words[0].text)

    @property
    def key(self) -> str:
        """The canonical name (see the module)."""
        return _key(self.words)


def command_keys(command: str) -> tuple[str, ...]:
    """The canonical names of the commands in a shell text, in order; empty for a text that runs nothing.

    >>> command_keys("cd web && FOO=1 npx vitest run -u 2>&1 | tail -5")
    ('cd <arg>', 'vitest run -u', 'tail -n <n>')

    Any text is accepted, and the time is linear in its length.
    """
    return tuple(command.key for command in parse(command))


@lru_cache(maxsize=4096)
def parse(text: str) -> tuple[Command, ...]:
    """The simple commands of a shell text, wrappers and assignments taken off their front."""
    return tuple(_parse(text[:_MAX_CHARS], 0))


# ------------------------------------------------------------------------------------ words

_RUN = re.compile(r"[^\s'\"\\$`|&;<>()#]+")
_QUOTABLE = re.compile(r"[\"'`\\(){}$]")
_REDIRECTION = re.compile(r"&>>?|[<>]\(|<<<|<<-?|<>|[<>]&|>\||>>?|<")
_OPENER = {"$(": ")", "${": "}", "`": "`", '"': '"'}


def _skip(text: str, start: int, closer: str) -> int:
    """Index after the *closer* that ends what was opened before *start*; the length where it never ends."""
    stack = [closer]
    at = start
    while match := _QUOTABLE.search(text, at):
        char, at = match[0], match.end()
        top = stack[-1]
        if char == "\\":
            at += 1
        elif char == top:
            stack.pop()
            if not stack:
                return at
        elif char == "'" and top in ")}":
            at = text.find("'", at) + 1 or len(text)
        elif char == "$" and text[at : at + 1] in ("(", "{"):
            stack.append(_OPENER["$" + text[at]])
            at += 1
        elif char == "(" and top == ")":
            stack.append(")")
        elif (char == '"' and top in ")}") or (char == "`" and top != "`"):
            stack.append(char)
    return len(text)


class _Lexer:
    """Reads a text once, from left to right, and gathers simple commands as lists of words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.commands: list[list[Word]] = []
        self._words: list[Word] = []
        self._pieces: list[str] = []  # of the word that is being read
        self._bare = -1  # characters before its first quote, -1 while there is none
        self._kind = ""
        self._open = False  # a word has begun, though it may be empty
        self._redirect = ""  # the operator whose target comes next
        self._heredocs: list[tuple[str, bool]] = []
        self._cases = 0
        self._subshells = 0

    def read(self) -> list[list[Word]]:
        text, at, size = self.text, 0, len(self.text)
        while at < size:
            if match := _RUN.match(text, at):
                self._add(match[0])
                at = match.end()
                continue
            char = text[at]
            if char == "\\":
                if text[at + 1 : at + 2] != "\n":
                    self._add(text[at + 1 : at + 2])
                at += 2
            elif char in "'\"$`":
                at = self._quoted(at)
            elif char == "#":
                at = self._hash(at)
            elif match := _REDIRECTION.match(text, at):
                at = self._redirection(match)
            elif char == "(" and self._open:
                at = self._parenthesis(at)
            elif char == "\n":
                self._end_command(char)
                at = self._skip_heredocs(at + 1)
            elif char.isspace():
                self._end_word()
                at += 1
            else:
                self._end_command(char)
                at += 1
        self._end_command("")
        return self.commands

    def _add(self, piece: str, kind: str = "", *, quoted: bool = False) -> None:
        if quoted and self._bare < 0:
            self._bare = sum(map(len, self._pieces))
        self._pieces.append(piece)
        self._kind = self._kind if self._kind == "<cmd>" else kind or self._kind
        self._open = True

    def _quoted(self, at: int) -> int:
        text, char = self.text, self.text[at]
        if char == "'":
            end = text.find("'", at + 1)
            end = len(text) if end < 0 else end
            self._add(text[at + 1 : end], quoted=True)
            return end + 1
        if char == '"':
            end = _skip(text, at + 1, '"')
            body = text[at + 1 : end - 1] if text.endswith('"', at + 1, end) else text[at + 1 : end]
            self._add(re.sub(r'\\([\\"$`])', r"\1", body), quoted=True)
            return end
        if char == "`":
            self._add("`", "<cmd>")
            return _skip(text, at + 1, "`")
        follower = text[at + 1 : at + 2]
        if follower in ("'", '"'):  # $'...' and $"..."
            return self._quoted(at + 1)
        if follower == "(":
            self._add("$", "<cmd>")
            return _skip(text, at + 2, ")")
        if follower == "{":
            self._add("$", "<var>")
            return _skip(text, at + 2, "}")
        self._add("$", "<var>")
        return at + 1

    def _hash(self, at: int) -> int:
        if self._open:  # inside a word it is a character
            self._add("#")
            return at + 1
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end

    def _redirection(self, match: re.Match[str]) -> int:
        if match[0] in ("<(", ">("):  # process substitution
            self._add(match[0], "<cmd>")
            return _skip(self.text, match.end(), ")")
        if self._open and "".join(self._pieces).isdecimal():  # 2> : the digits name a descriptor
            self._pieces, self._open, self._bare, self._kind = [], False, -1, ""
        self._end_word()
        self._redirect = match[0]
        return match.end()

    def _parenthesis(self, at: int) -> int:
        if self._pieces and self._pieces[-1].endswith("="):  # an array
            self._add("", "<cmd>")
            return _skip(self.text, at + 1, ")")
        self._pieces, self._open, self._bare, self._kind = [], False, -1, ""  # name() { ... }
        self._end_command("(")
        return at + 1

    def _skip_heredocs(self, at: int) -> int:
        text = self.text
        for delimiter, strip in self._heredocs:
            while at < len(text):
                end = text.find("\n", at)
                end = len(text) if end < 0 else end
                line = text[at:end]
                at = end + 1
                if (line.lstrip("\t") if strip else line) == delimiter:
                    break
        self._heredocs = []
        return at

    def _end_word(self) -> None:
        if not self._open:
            return
        text = "".join(self._pieces)
        if self._redirect:
            if self._redirect.startswith("<<") and self._redirect != "<<<":
                self._heredocs.append((text, self._redirect == "<<-"))
            self._redirect = ""
        else:
            self._words.append(Word(text, len(text) if self._bare < 0 else self._bare, self._kind))
        self._pieces, self._bare, self._kind, self._open = [], -1, "", False

    def _end_command(self, separator: str) -> None:
        self._end_word()
        self._redirect = ""
        words, self._words = self._words, []
        if separator == "(":
            self._subshells += 1
        first = words[0].text if words else ""
        if first == "case":
            self._cases += 1
        elif first == "esac":
            self._cases = max(0, self._cases - 1)
        if separator == ")":
            if not self._subshells and self._cases:
                return  # a pattern of case
            self._subshells = max(0, self._subshells - 1)
        if words:
            self.commands.append(words)


# ------------------------------------------------------------------------------------ wrappers

_BEFORE = {
    "if",
    "then",
    "elif",
    "else",
    "while",
    "until",
    "do",
    "!",
    "{",
    "}",
    "fi",
    "done",
    "esac",
    "coproc",
}
_HEADS = {"for", "select", "case", "function", "]]", "in"}
_SHELLS = {"bash", "sh", "zsh", "dash", "ksh"}
# A wrapper, the options of it that take a value, and how many words of its own follow them.
_WRAPPERS: dict[str, tuple[str, int]] = {
    "sudo": ("-u -g -h -p -C -r -t -U -D", 0),
    "doas": ("-u", 0),
    "env": ("-u -C", 0),
    "time": ("-f -o", 0),
    "timeout": ("-s -k --signal --kill-after", 1),
    "gtimeout": ("-s -k --signal --kill-after", 1),
    "nohup": ("", 0),
    "nice": ("-n", 0),
    "ionice": ("-c -n", 0),
    "stdbuf": ("-i -o -e", 0),
    "setsid": ("", 0),
    "caffeinate": ("-t", 0),
    "xvfb-run": ("-s -n", 0),
    "command": ("", 0),
    "builtin": ("", 0),
    "exec": ("-a", 0),
    "xargs": ("-n -I -P -L -d -s -E -a", 0),
    "npx": ("-p --package", 0),
    "pnpx": ("", 0),
    "bunx": ("", 0),
    "uvx": ("--from --with -p --python", 0),
    "uv run": ("--with --python -p --extra --group --env-file --project --directory --package", 0),
    "poetry run": ("", 0),
    "pdm run": ("", 0),
    "rye run": ("", 0),
    "hatch run": ("", 0),
    "pipenv run": ("", 0),
    "conda run": ("-n -p", 0),
    "pipx run": ("--spec", 0),
    "pnpm exec": ("", 0),
    "pnpm dlx": ("", 0),
    "yarn exec": ("", 0),
    "yarn dlx": ("", 0),
    "npm exec": ("", 0),
    "bun x": ("", 0),
    "bundle exec": ("", 0),
    "mise exec": ("", 0),
    "direnv exec": ("", 1),
}


def _parse(text: str, depth: int) -> list[Command]:
    found: list[Command] = []
    for words in _Lexer(text).read():
        assignments: list[str] = []
        wrappers: list[str] = []
        rest = _unwrap(words, assignments, wrappers)
        if not rest:
            continue
        script = _script(rest) if depth < _MAX_DEPTH else None
        if script is None:
            found.append(Command(tuple(assignments), tuple(wrappers), tuple(rest)))
        else:
            found.extend(_parse(script, depth + 1))
    return found


def _unwrap(words: list[Word], assignments: list[str], wrappers: list[str]) -> list[Word]:
    """Take keywords, assignments and wrappers off the front; what they were goes into the two lists."""
    at = 0
    while at < len(words):
        word = words[at]
        if word.text in _BEFORE and word.bare == len(word.text):
            at += 1
            continue
        if _is_assignment(word):
            assignments.append(word.text)
            at += 1
            continue
        if word.text in _HEADS or word.text.startswith("-"):
            return []
        after = _after_wrapper(words, at)
        if after == at or after >= len(words):
            break
        wrappers.append(_wrapper_name(words, at))
        at = after
    return words[at:]


def _is_assignment(word: Word) -> bool:
    name, equals, _ = word.text[: word.bare].partition("=")
    return bool(equals) and name.removesuffix("+").isidentifier()


def _wrapper_name(words: list[Word], at: int) -> str:
    program = _program(words[at].text)
    if program == "python":
        return "python -m"
    return program if program in _WRAPPERS else f"{program} {words[at + 1].text}"


def _after_wrapper(words: list[Word], at: int) -> int:
    """Index of the word that a wrapper at *at* runs; *at* itself if there stands no wrapper."""
    program = _program(words[at].text)
    following = words[at + 1].text if at + 1 < len(words) else ""
    if program == "python":
        return _after_python(words, at)
    start = at + 1
    if program not in _WRAPPERS:
        program, start = f"{program} {following}", at + 2
    if program not in _WRAPPERS or (program == "command" and following in ("-v", "-V")):
        return at
    valued, own = _WRAPPERS[program]
    index = start
    while index < len(words) and words[index].text.startswith("-"):
        option = words[index].text
        index += 2 if option in valued.split() else 1
        if option == "--":
            break
    return index + own


def _after_python(words: list[Word], at: int) -> int:
    index = at + 1
    while index < len(words) and words[index].text.startswith("-"):
        option = words[index].text
        if option == "-m":
            return index + 1
        if option == "-c":
            return at
        index += 2 if option in ("-X", "-W") else 1
    if index < len(words) and words[index].text.endswith("manage.py"):
        return index
    return at


def _script(words: list[Word]) -> str | None:
    """The text that `bash -lc '...'` or `eval '...'` runs, else None."""
    program = _program(words[0].text)
    if program == "eval":
        return " ".join(word.text for word in words[1:])
    if program in _SHELLS:
        for index, word in enumerate(words[1:-1], 1):
            if not word.text.startswith("-"):
                return None
            if not word.text.startswith("--") and "c" in word.text:
                return words[index + 1].text
    return None


# ------------------------------------------------------------------------------------ names

_VERSIONED = {"python", "pip", "ruby", "node", "php", "lua"}
_VERBS = """
git hg svn jj npm pnpm yarn bun deno pip uv poetry pdm rye hatch pipenv pipx conda mamba cargo rustup go
docker podman docker-compose podman-compose kubectl helm terraform tofu pulumi ansible-galaxy alembic
flask manage.py django-admin rails bundle gem composer dotnet flutter dart swift brew apt apt-get dnf yum
apk pacman snap systemctl launchctl nvm fnm mise asdf ruff pre-commit vitest playwright prisma vercel
netlify fly heroku turbo nx wrangler tmux nix openssl gpg celery mkdocs buf twine corepack claude codex
"""
_TARGETS = "make gmake just task rake invoke mvn mvnw gradle gradlew ninja"
_ALL = 99
# How many bare words after the program say what it does; all of them for those that take targets.
_SUBCOMMANDS = {
    **dict.fromkeys(_VERBS.split(), 1),
    **dict.fromkeys(("aws", "gh", "glab", "az", "supabase", "vault", "op"), 2),
    "gcloud": 3,
    **dict.fromkeys(_TARGETS.split(), _ALL),
}
_NESTED = {  # after these, one more word says what it does
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "turbo", "nx"), "run"),
    **dict.fromkeys(("docker", "podman"), "compose container image network volume"),
    "conda": "env",
    "deno": "task",
    "git": "bisect remote stash submodule worktree",
    "go": "mod tool work",
    "helm": "repo",
    "kubectl": "config rollout",
    "poetry": "env self",
    "prisma": "db migrate",
    "rustup": "target toolchain",
    "terraform": "state workspace",
    "uv": "pip python tool",
}
_GLOBAL = """
-C -c -n -f -p -w -R -F -H --context --namespace --prefix --profile --region --file --cwd --dir --filter
--project --workspace --repo --directory --git-dir --work-tree --kubeconfig --manifest-path --host --user
"""
_VALUED = frozenset(_GLOBAL.split())  # flags before the subcommand that take a value of their own
_FLAG = re.compile(r"--?[A-Za-z0-9?][\w.-]*")
_DIGITS = frozenset("0123456789")
_HEX = frozenset("0123456789abcdef")
_NUMERIC = frozenset("0123456789.,:%x+-")


def _program(text: str) -> str:
    name = text.rstrip("/").rpartition("/")[2].removesuffix(".exe")
    name = name.partition("@")[0] or name  # npx prettier@3
    unversioned = name.rstrip("0123456789.")
    return unversioned if unversioned in _VERSIONED else name


def _placeholder(word: Word) -> str:
    text = word.text
    if word.kind == "<cmd>":
        return "<cmd>"
    if word.bare < len(text) or not text:
        return "<str>"
    if text.startswith("$"):
        return "<var>"
    if "://" in text:
        return "<url>"
    if not _DIGITS.isdisjoint(text):
        if _NUMERIC.issuperset(text.rstrip("smhdwkKMGTbB")):
            return "<n>"
        if (7 <= len(text) <= 64 and _HEX.issuperset(text)) or _is_uuid(text):
            return "<hash>"
    return "<path>" if _is_path(text) else "<arg>"


def _is_uuid(text: str) -> bool:
    return len(text) == 36 and text.count("-") == 4 and _HEX.issuperset(text.replace("-", ""))


def _is_path(text: str) -> bool:
    _, dot, extension = text.rpartition(".")
    return (
        text.startswith(".") or any(char in text for char in "/~*?") or bool(dot and extension.isidentifier())
    )


def _is_name(text: str, marks: str) -> bool:
    return bool(text) and all(char.isalnum() or char in marks for char in text)


def _key(words: tuple[Word, ...]) -> str:
    program = _program(words[0].text)
    program = program if _is_name(program, "_.+:[-") else _placeholder(words[0])
    depth = _SUBCOMMANDS.get(program, 0)
    names, flags, rest = [program], set(), set()
    at = 1
    while at < len(words):
        word = words[at]
        at += 1
        text = word.text
        if text in ("--", "-", "]", "]]", "}") or (text.startswith("+") and program == "cargo"):
            continue
        if text.startswith("-") and word.bare:
            flag, value = _flag(word)
            flags.add(flag)
            if value is None and flag in _VALUED and len(names) <= depth and at < len(words):
                value = words[at]
                at += 1
            if value is not None:
                rest.add(_placeholder(value))
        elif (
            len(names) <= depth
            and word.bare == len(text)
            and not word.kind
            and text[:1].isalpha()
            and _is_name(text, "_:.-")
        ):
            names.append(text)
            if len(names) == depth + 1 and text in _NESTED.get(program, "").split():
                depth += 1
        elif not (depth == _ALL and _is_assignment(word)):  # make NAME=value
            rest.add(_placeholder(word))
            depth = depth if depth == _ALL else 0  # an argument ends the subcommands
    return " ".join([*names, *sorted(flags), *sorted(rest)])


def _flag(word: Word) -> tuple[str, Word | None]:
    """A flag's name, and the value glued to it: `--port=80` and `-j8` have one, `-la` has none."""
    text = word.text
    if text[1:].isdecimal():
        return "-n", Word(text[1:], len(text))
    match = _FLAG.match(text, 0, word.bare)
    name = match[0] if match else "-"
    value = text[len(name) :].removeprefix("=")
    if not text.startswith("--") and name[2:].isdecimal():  # -j8
        name, value = name[:2], name[2:] + value
    if not value and word.bare == len(text):
        return name, None
    return name, Word(value, len(value) if word.bare == len(text) else 0, word.kind)
