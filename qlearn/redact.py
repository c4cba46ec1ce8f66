"""Takes secrets out of what hooks see, before any of it is kept.

A secret is known by its named prefix (`secrets`), or by what stands beside it: a name (`password=`,
`--token`, `비밀번호:`), a header (Authorization, Cookie) or a place (the password of a URL, a webhook).
Prose, code that only speaks of secrets, placeholders and hashes stay: nothing is judged by entropy alone.
"""

from __future__ import annotations

import re

from .secrets import find_secrets

MASK = "[redacted]"  # a shell takes it for a word
_WINDOW = 16_384  # characters that are looked at: three times what an observation keeps of a text

_SENSITIVE = (
    r"(?:pass(?:word|wd|phrase|code)|(?<=_)pass|pwd|secret(?:[_-]?key(?:[_-]?base)?)?|token|api[_-]?key"
    r"|access[_-]?key(?:[_-]?id)?|(?:private|account|auth|signing|encryption)[_-]?key|credentials?"
    r"|(?<=[?&])sig|(?<=[-?&])signature|비밀번호|암호|密码|密碼|口令|contraseña|clave)"
)
_BARE = r"[^\s\"'`,;&|()<>{}\[\]]"
# A name, what stands between, and a value: quoted or bare.
_NAMED = (
    rf"({_SENSITIVE})([\"']?[ \t]{{0,8}}(?:=>|:=|=(?!=)|[:：])[ \t]{{0,8}})"
    rf"(?:(?P<quote>[\"'])(?P<quoted>[^\"'\n]+)(?P=quote)|(?P<bare>{_BARE}+))"
)
_FLAG = rf"(--(?:[\w-]{{0,40}}-)?{_SENSITIVE}[ \t]+[\"']?)({_BARE}+)"
_HEADER = (
    r"(authorization[\"']?[ \t]*[:=][ \t]*[\"']?(?:(?:bearer|basic|token|digest)[ \t]+)?)([^\s\"',;<>]+)"
)
_COOKIE = r"(cookie:[ \t]*)([^\n\"']+)"
_URL_PASSWORD = r"(://[^\s/:@\"'<>]{0,256}:)([^\s/@\"'<>]+)(?=@)"
_URL_USER = r"(://)([\w-]{20,})(?=@)"
# Options and places whose name says nothing, but what stands round them does.
_PLACES = (
    r"(\bsshpass[ \t]+-p[ \t]*[\"']?)([^\s\"']+)",
    r"(\bmysql(?:dump|admin)?\b[^\n|;&]{0,200}?[ \t]-p)([^\s\"']+)",
    r"(\blogin\b[^\n|;&]{0,200}?[ \t]-p[ \t]+[\"']?)([^\s\"']+)",
    r"(\bcurl\b[^\n|;&]{0,400}?[ \t](?:-u|--user)[ \t]+[\"']?[^\s:\"']{1,100}:)([^\s\"']+)",
    r"(\blogin[ \t]+\S{1,100}\s+password[ \t]+)(\S+)",
)
_WEBHOOKS = (
    r"(hooks\.slack\.com/services/\w{1,20}/\w{1,20}/)(\w+)",
    r"(discord(?:app)?\.com/api/webhooks/\d{1,20}/)([\w-]+)",
    r"(/bot\d{6,12}:)([\w-]{30,})",
)
_TRIGGERS = (
    "pass", "pwd", "secret", "token", "key", "credential", "sig", "auth", "cookie", "login", "curl", "mysql",
    "비밀", "암호", "密", "口令", "contraseña", "clave",
)  # fmt: skip
_PLACEHOLDERS = {
    "password", "passwd", "passphrase", "secret", "token", "null", "none", "nil", "true", "false",
    "undefined", "changeme", "change-me", "required", "optional", "string", "str", "bytes", "int", "bool",
    "text", "any", "test", "dummy", "example", "foo", "bar", "hidden", "masked", "redacted", "empty",
    "missing", "invalid", "bearer", "basic", "digest",
}  # fmt: skip


def redact(text: str) -> str:
    """The text with `[redacted]` in place of each secret, cut to 16,384 characters.

    >>> redact("PGPASSWORD=hunter2x psql -h db")
    'PGPASSWORD=[redacted] psql -h db'

    The name, the header's scheme and the host stay, so that the command can still be read.
    """
    if len(text) > _WINDOW:
        text = text[:_WINDOW]
        text = text[: text.rfind("\n") + 1] or text  # half a secret would not be known as one
    if "://" in text:
        for place in (*_WEBHOOKS, _URL_PASSWORD, _URL_USER):
            text = re.sub(place, _beside, text)
    return _without_named(_without_what_stands_beside(text))


def _without_what_stands_beside(text: str) -> str:
    lowered = text.lower()
    if not any(trigger in lowered for trigger in _TRIGGERS):
        return text
    if "authorization" in lowered:
        text = re.sub(_HEADER, _beside, text, flags=re.IGNORECASE)
    if "cookie:" in lowered:
        text = re.sub(_COOKIE, _cookie, text, flags=re.IGNORECASE)
    for place in _PLACES:
        text = re.sub(place, _beside, text)
    text = re.sub(_FLAG, _beside, text, flags=re.IGNORECASE)
    return re.sub(_NAMED, _named, text, flags=re.IGNORECASE)


def _without_named(text: str) -> str:
    parts: list[str] = []
    done = 0
    for secret in find_secrets(text):
        parts += text[done : secret.start], MASK
        done = secret.end
    return "".join((*parts, text[done:])) if parts else text


def _beside(match: re.Match[str]) -> str:
    value = match[2]
    return match[0] if len(value) < 4 or _is_placeholder(value) else match[1] + MASK


def _cookie(match: re.Match[str]) -> str:
    return match[1] + re.sub(r"(=)([^;\s]{16,})", _beside, match[2])


def _named(match: re.Match[str]) -> str:
    name, between, quoted, bare = match[1], match[2], match["quoted"], match["bare"]
    value = quoted or bare
    if _is_placeholder(value):
        return match[0]
    if quoted:
        secret = not any(char.isspace() for char in quoted) and len(quoted) >= 4
    elif between in ("=", ":="):
        code = _is_code(match) and not name.isupper()
        secret = len(value) >= 4 and not code and not (value.isdecimal() and len(value) < 6)
    else:
        secret = _looks_random(value) and not _is_code(match)
    if not secret:
        return match[0]
    quote = match["quote"] or ""
    return f"{name}{between}{quote}{MASK}{quote}"


def _is_placeholder(value: str) -> bool:
    low = value.lower().strip("\"'.,;:!")
    return (
        low in _PLACEHOLDERS
        or low.startswith(
            ("$", "<", "{", "%", "your", "my_", "my-", "/", "~/", "./", "os.", "process.env", "env.")
        )
        or set(low) <= set("*x.-_#•…?")
        or low.endswith(("_here", "-here"))
        or any(word in low for word in ("example", "placeholder", "xxxx", "changeme", "redacted", "****"))
    )


def _is_code(match: re.Match[str]) -> bool:
    """Whether a bare value is an expression, not a literal: a call, an index, `self.token`, `a | None`."""
    value = match["bare"]
    follower = match.string[match.end() : match.end() + 1]
    return (follower != "" and follower in "([{") or all(
        part.replace("_", "").isalpha() and part.islower() for part in value.rstrip(".").split(".")
    )


def _looks_random(value: str) -> bool:
    digits = any(char.isdigit() for char in value)
    letters = any(char.isalpha() for char in value)
    marks = any(not char.isalnum() and char not in "._-/:" for char in value)
    return len(value) >= 6 and letters and (digits or marks)
