"""Who a project is: one name for every address under which its repository is known.

Owns the normal form of a remote's address, the id that follows from it, and the way git writes an address
into its configuration.
"""

# Every hook reads this module, so it goes without `re`: its five patterns would take 2 ms to compile.
from __future__ import annotations

import sys

from .record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEFAULT_PORTS = {"ftp": "21", "ftps": "990", "git": "9418", "http": "80", "https": "443", "ssh": "22"}
_PUNCTUATION = dict.fromkeys(map(ord, "+-."))
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


def id_of(name: str) -> str:
    """Shorten the name of a project, a normalised address or a path, to its id of 12 hex digits.

    >>> id_of("github.com/owner/repo")
    '620c3a937ce8'
    """
    return digest(name)[:12]


def digest(text: str) -> str:
    """Return the SHA-256 of the text in UTF-8, as 64 hex digits.

    A lone surrogate, as Python has it for a byte of a path that is no UTF-8, counts as its three bytes.
    """
    # `hashlib` links OpenSSL in, which takes a tenth of a hook's time.
    try:
        implementation = __import__("_sha2" if sys.version_info >= (3, 12) else "_sha256")
    except ImportError:
        implementation = __import__("hashlib")
    hexdigits: str = implementation.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return hexdigits


def normalise_remote(url: str) -> str:
    """Reduce the address of a repository to what all forms of it share, without credentials.

    Of an address in the network remain host, port and path in lower case, without the port that the scheme
    implies, one ".git" and slashes too many. A file's path keeps its case. The result is empty where no
    repository is named: no host, or a helper with a command of its own.

    >>> normalise_remote("https://user:secret@GitHub.com:443/Owner/repo.git/")
    'github.com/owner/repo'
    >>> normalise_remote("git@github.com:owner/repo")
    'github.com/owner/repo'
    >>> normalise_remote("file:///srv/Repo.git")
    '/srv/Repo'
    """
    url = url.strip()
    scheme, mark, rest = _scheme(url)
    if mark == "::":
        scheme, mark, rest = _scheme(rest)
        if mark != "://":
            return ""
    if mark:
        scheme = scheme.lower().removeprefix("git+").removesuffix("+git")
        return _file_url(rest) if scheme == "file" else _network(scheme, rest)
    return _scp(url) if _is_scp(url) else _local(url)


def is_path(url: str) -> bool:
    """Tell a path on this machine, relative to the repository perhaps, from a URL and from "host:path"."""
    url = url.strip()
    return not _scheme(url)[1] and not _is_scp(url)


def git_value(config: str, section: str, key: str) -> str:
    r"""Return the first value of a variable in the text of a git configuration, "" without one.

    Includes are not followed. A line that git would refuse is passed over.

    Args:
        section: As git joins it: "core", "remote.origin".
        key: In lower case.

    >>> git_value('[remote "origin"]\n\turl = /srv/Repo ; ours', "remote.origin", "url")
    '/srv/Repo'

    Source: git-config(1), "CONFIGURATION FILE".
    """
    values: list[str] = []
    current = ""
    lines = iter(config.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))
    for line in lines:
        line = line.lstrip()
        if line.startswith("["):
            current, line = _header(line)
        name, equals, value = line.partition("=")
        name = name.rstrip()
        if equals and name.replace("-", "").isalnum():
            value = _value(value, lines)
            if current == section and name.lower() == key:
                # An empty value takes back those before it.
                values = [*values, value] if value else []
    return values[0] if values else ""


def _scheme(url: str) -> tuple[str, str, str]:
    """Split "scheme://rest", and "helper::rest", at its mark; all three are empty for anything else."""
    name, _, rest = url.partition(":")
    # One letter before a colon is a drive.
    if len(name) > 1 and name.isascii() and name[0].isalpha() and name.translate(_PUNCTUATION).isalnum():
        if rest.startswith("//"):
            return name, "://", rest[2:]
        if rest.startswith(":"):
            return name, "::", rest[1:]
    return "", "", ""


def _has_drive(path: str) -> bool:
    return path[1:3] in (":/", ":\\") and path[0].isascii() and path[0].isalpha()


def _is_scp(url: str) -> bool:
    """Tell "host:path" from a path, as git does: by a colon before the first slash, drives aside."""
    return ":" in url.partition("/")[0] and not _has_drive(url)


def _scp(url: str) -> str:
    """Normalise "user@host:path", with the user left out or the host in brackets."""
    before, _, path = url.partition(":")
    if "[" in before:
        inside, _, path = url.partition("[")[2].partition("]:")
        host = inside.rpartition("@")[2]
        # "[::1]:path" is an address, "[host:port]:path" names a port.
        return _network("ssh", f"[{host}]/{path}" if host.count(":") > 1 else f"{host}/{path}")
    first, slash, rest = path.partition("/")
    if "@" not in before and "@" in first[1:]:
        # "user:token@host/path" is no address for git; a secret it is all the same.
        address = first.rpartition("@")[2] + slash + rest
        return _scp(address) if _is_scp(address) else _network("ssh", address)
    return _joined(before.rpartition("@")[2], path)


def _network(scheme: str, rest: str) -> str:
    """Normalise what follows "scheme://"."""
    authority, _, path = rest.partition("/")
    if scheme in ("http", "https"):
        # A query or a fragment names no repository and may hold a token.
        path = path.partition("?")[0].partition("#")[0]
    _, at, place = authority.rpartition("@")
    host, port = _host_and_port(place)
    if port and not (port.isascii() and port.isdigit()):
        if not at and "@" in path:
            # "https://user:a/b@host/path": what stands before the slash is a password, cut in two.
            return _network(scheme, path.rpartition("@")[2])
        # "ssh://git@host:owner/repo" mixes both forms.
        port, path = "", f"{port}/{path}"
    port = port.lstrip("0")
    if port and port != _DEFAULT_PORTS.get(scheme):
        host = f"{host}:{port}"
    return _joined(host, path)


def _host_and_port(place: str) -> tuple[str, str]:
    if place.startswith("["):
        host, bracket, port = place.partition("]")
        return host + bracket, port.removeprefix(":")
    host, _, port = place.partition(":")
    return host, port


def _joined(host: str, path: str) -> str:
    if not host or host.startswith(":"):
        return ""
    parts = [part for part in path.lower().split("/") if part]
    return _bare("/".join((host.lower(), *parts)))


def _file_url(rest: str) -> str:
    authority, _, path = rest.partition("/")
    host = authority.rpartition("@")[2].lower()
    if host not in ("", "localhost"):
        return _local(f"//{host}/{path}")
    return _local(path if _has_drive(path) else f"/{path}")


def _local(path: str) -> str:
    if _has_drive(path) or path.startswith("\\\\"):
        path = path.replace("\\", "/")
        path = path[0].upper() + path[1:]
    return _bare(path) or path[:1]


def _bare(path: str) -> str:
    return path.rstrip("/").removesuffix(".git").rstrip("/")


def _header(line: str) -> tuple[str, str]:
    """Split '[section "subsection"] rest' into "section.subsection" and the rest."""
    name, bracket, rest = line[1:].partition("]")
    if '"' not in name:
        return (name.lower(), rest.lstrip()) if bracket else ("", "")
    name, _, rest = line[1:].partition('"')
    subsection: list[str] = []
    characters = iter(rest)
    for character in characters:
        if character == '"':
            break
        subsection.append(next(characters, "") if character == "\\" else character)
    bracket, rest = next(characters, ""), "".join(characters)
    return (f"{name.rstrip().lower()}.{''.join(subsection)}", rest.lstrip()) if bracket == "]" else ("", "")


def _value(text: str, lines: Iterator[str]) -> str:
    """Undo quotes, escapes and comments; a backslash at the end of a line takes the next of *lines* in.

    White space counts within quotes and between words. A quote left open makes no value.
    """
    if not any(mark in text for mark in '"\\#;'):
        return text.strip()
    value: list[str] = []
    at = solid = 0
    quoted = False
    while at < len(text):
        character = text[at]
        at += 1
        if character == "\\":
            if at == len(text):
                text, at = next(lines, ""), 0
                continue
            value.append(_ESCAPES.get(text[at], text[at]))
            at += 1
        elif character == '"':
            quoted = not quoted
        elif quoted or not (character.isspace() or character in "#;"):
            value.append(character)
        elif character in "#;":
            break
        else:
            if value:
                value.append(character)
            continue
        solid = len(value)
    return "" if quoted else "".join(value[:solid])
