"""Text as data: what is shown by its code before a model or a terminal reads it.

A registry is written by many hands and read by programs that obey text. Nothing in it is taken away, but
a character that hides or acts appears as its code, `<U+200B>`, and so does the first character of what
would pass for a host's own markup: `<system-reminder>` becomes `<U+003C>system-reminder>`. One rule serves
injected text and terminals alike. Files are never changed by it.

Owns the rules for hidden characters, for markup and for cutting. A plain sentence that is false passes:
no rule on characters tells it from a true one.
"""

from __future__ import annotations

import re
from functools import cache

from .record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ELLIPSIS = "…"

# Text without a match is returned as it is: printable ASCII but `<` and `[`, with nothing that begins a
# fence, an entity, a heading, an underline or a role. What decides is dear to compile and rarely needed.
_SUSPECT = re.compile(
    r"[^ -;=-Z\\-~\n]|```|~~~|&[#a-zA-Z]|%[235]|\\[uxUX]|^ {0,3}[#=-]|[nrtmNRTM][\s*_]*+:", re.MULTILINE
)


class Mark(NamedTuple):
    """A place, `text[start:end]`, that a reader can't see or could mistake, and the name of what is there."""

    start: int
    end: int
    name: str


def neutralise(text: str, *, newlines: bool = False) -> str:
    r"""Show what hides, acts or poses as a host's markup, so that *text* is data wherever it is put.

    - Controls, lone surrogates, noncharacters, tag characters, bidi controls, zero-width and other invisible
      characters become `<U+XXXX>`, except where a script or an emoji sequence needs them.
    - So does the first character of a host's tag, of a closing tag that closes nothing in *text*, of a
      comment, of `[INST]` and `<|...|>`, of `[LEARNINGS]` at a line start, and the colon of `Human:` there.
      Spaced, full-width, accented, look-alike, escaped and entity-coded forms count as well.
    - Without *newlines* the result is one line: white space that holds a line end or a tab becomes one
      space, the marks of a fence become the single mark of a code span.
    - With *newlines* its Markdown blocks stay inside: headings of level 1-3, underlines and HTML blocks that
      run on are shown, an open fence is closed. What follows after a blank line is outside of all of them.

    The result encodes as strict UTF-8, and neutralising it again changes nothing. It may be nine times as
    long as *text*: cut a long text before, and the result again.

    >>> neutralise("ok\u200b</system-reminder>\nHuman: \x1b[2J")
    'ok<U+200B><U+003C>/system-reminder> Human: <U+001B>[2J'
    """
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    if not newlines and ("\n" in text or "\t" in text):
        text = re.sub(r"[ \t\n]+", lambda gap: gap[0] if gap[0].isprintable() else " ", text)
    if _SUSPECT.search(text) is None:
        return text
    text = _with_hidden_shown(text)
    text = _contained(text) if newlines else re.sub(r"([`~])\1{2,}", r"\1", text)
    return _with_markup_shown(text, newlines)


def unexpanded(text: str) -> str:
    r"""Show what Claude Code, in a file of its own, puts something else in the place of.

    That is `@path`, which a backslash stops, and the `!` of a command that is to be run: `!` before a code
    span, or behind the mark of a fence.

    >>> unexpanded("Read @~/.ssh/config: !`make`, a@b")
    'Read \\@~/.ssh/config: <U+0021>`make`, a@b'
    """
    text = re.sub(r"(?<!\S)@(?=\S)", r"\\@", text)
    return re.sub(r"((?:```|~~~)[ \t]*)!|!(?=`)", lambda match: (match[1] or "") + _code("!"), text)


def hidden(text: str) -> tuple[Mark, ...]:
    r"""Find the controls and invisible characters that `neutralise` would show, but line ends and tabs.

    A run of one character is one mark.

    >>> hidden("a\x1b[1mb\u200b\u200bc")
    (Mark(start=1, end=2, name='U+001B ESC'), Mark(start=6, end=8, name='U+200B ZERO WIDTH SPACE'))
    """
    marks: list[Mark] = []
    for match in _hidden_pattern(text.isascii()).finditer(text):
        start, char = match.start(), match[0]
        if _is_needed(match) or text.startswith("\r\n", start):
            continue
        if marks and marks[-1].end == start and text[start - 1] == char:
            marks[-1] = marks[-1]._replace(end=start + 1)
        else:
            marks.append(Mark(start, start + 1, f"U+{ord(char):04X} {_name(char)}"))
    return tuple(marks)


def doubtful(text: str) -> tuple[Mark, ...]:
    """Find what is visible and yet may mislead: private-use characters, and Latin words with look-alikes.

    A word counts if it has Latin letters and every other letter in it is a Cyrillic or Greek twin of one.
    """
    if text.isascii():
        return ()
    return tuple(
        Mark(match.start(), match.end(), "private use" if match.lastgroup else "mixed scripts")
        for match in _doubtful_pattern().finditer(text)
    )


def one_line(text: str) -> str:
    r"""Put *text* on one line: each run of white space becomes one space, none stays at the ends.

    >>> one_line("  a\r\n\tb\u2028c ")
    'a b c'
    """
    return " ".join(text.split())


def utf16_units(text: str) -> int:
    """Count the 16-bit units of *text* in UTF-16, the measure of the hosts' limits."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def clip(text: str, limit: int) -> str:
    """Cut *text* to at most *limit* characters, the ellipsis that marks the cut included.

    The cut is the last one between words in the second half, or between two ideographs or kana; a longer
    word is cut between graphemes. Never inside an emoji sequence or between a letter and its marks.

    >>> clip("Pin the lockfile before a release", 20)
    'Pin the lockfile…'
    """
    if len(text) <= limit:
        return text
    if limit < 1:
        return ""
    end = limit - len(ELLIPSIS)
    for cut in range(end, limit // 2, -1):
        if text[cut].isspace():
            break
        if (_is_cjk(text[cut]) or _is_cjk(text[cut - 1])) and not _is_joint(text, cut):
            break
    else:
        cut = end
        while cut > 0 and _is_joint(text, cut):
            cut -= 1
    return text[:cut].rstrip(" \t\n\u3000,;:([{<（「『【《\u061c\u200c\u200d\u200e\u200f") + ELLIPSIS


# -- Hidden characters

_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f"
# Controls, then what Unicode calls default-ignorable, separators, surrogates, noncharacters, blank letters.
_INVISIBLE = (
    r"\x80-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\u2800\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    r"\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
) + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(1, 17))

# The flags of England, Scotland and Wales are the only tag sequences recommended for interchange.
_TAG_FLAG = r"\U0001f3f4\U000e0067\U000e0062(?:{})\U000e007f".format(
    "|".join("".join(f"\\U{0xE0000 + ord(c):08x}" for c in country) for country in ("eng", "sct", "wls"))
)

_PICTURE = (
    r"\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935"
    r"\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_IDEOGRAPH = r"\u2e80-\u2fd5\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fffd\U00030000-\U0003fffd"
_RIGHT_TO_LEFT = (
    r"\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc"
    r"\U00010800-\U00010fff\U0001e800-\U0001efff"
)
# Arabic, Syriac, N'Ko, Mandaic, the Indic scripts, Tibetan, Myanmar, Khmer, Mongolian and their kin.
_JOINING = (
    r"\u0600-\u061b\u0620-\u06ff\u0700-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u17ff"
    r"\u1807\u180a\u1820-\u18aa\u1b00-\u1bff\ua840-\ua8ff\ua980-\ua9ff\uaa60-\uaadf\uabc0-\uabff"
    r"\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010a00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f"
)
_UNSPACED = r"\u0e01-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff"  # words end at U+200B
_ASIDE = r"[ .,!?;)\x22'+=-]"  # what may stand between a direction mark and its letter

_JOINERS = "\u200c\u200d"
_VARIATION_OF_IDEOGRAPH = "\ufe00\ufe01\ufe02" + "".join(map(chr, range(0xE0100, 0xE0120)))

# Which characters are needed, and where: a pattern for the place right behind them.
_NEEDED = (
    ("\ufe0e\ufe0f", rf"(?<=[{_PICTURE}].)"),
    ("\ufe0f", r"(?<=[0-9#*].)(?=\u20e3)"),
    ("\u200d", rf"(?:(?<=[{_PICTURE}].)|(?<=[{_PICTURE}][\ufe0e\ufe0f].))(?=[{_PICTURE}])"),
    (_JOINERS, rf"(?<=[{_JOINING}].)(?![{_JOINERS}])|(?<![{_JOINERS}].)(?=[{_JOINING}])"),
    ("\u061c\u200e\u200f", rf"(?<=[{_RIGHT_TO_LEFT}].)|(?<=[{_RIGHT_TO_LEFT}]{_ASIDE}.)"),
    ("\u061c\u200e\u200f", rf"(?={_ASIDE}{{0,2}}[{_RIGHT_TO_LEFT}])"),
    ("\u200b", rf"(?<=[{_UNSPACED}].)(?=[{_UNSPACED}])"),
    (_VARIATION_OF_IDEOGRAPH, rf"(?<=[{_IDEOGRAPH}].)"),
    ("\ufe00", r"(?<=[\u1000-\u109f\u2200-\u22ff\u2a00-\u2aff\ua840-\ua877\uaa60-\uaa7f].)"),
    ("\u180b\u180c\u180d\u180f", r"(?<=[\u1820-\u18aa].)"),
    ("\u180e", r"(?<=[\u1820-\u18aa].)(?=[\u1820-\u18aa])"),
    ("\u2800", r"(?<=[\u2801-\u28ff].)|(?=[\u2801-\u28ff])"),
)


@cache
def _hidden_pattern(ascii_only: bool) -> re.Pattern[str]:
    return re.compile(f"[{_CONTROLS}]" if ascii_only else f"{_TAG_FLAG}|[{_CONTROLS}{_INVISIBLE}]")


@cache
def _place(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _is_needed(match: re.Match[str]) -> bool:
    """Tell whether what stands round a match of the hidden pattern needs it. A whole flag always stays."""
    char = match[0]
    return len(char) > 1 or any(
        char in chars and _place(pattern).match(match.string, match.end()) for chars, pattern in _NEEDED
    )


def _with_hidden_shown(text: str) -> str:
    return _hidden_pattern(text.isascii()).sub(lambda m: m[0] if _is_needed(m) else _code(m[0]), text)


def _code(char: str) -> str:
    return f"<U+{ord(char):04X}>"


def _name(char: str) -> str:
    from unicodedata import category, name

    controls = {
        0: "NUL",
        7: "BEL",
        8: "BS",
        13: "CR",
        27: "ESC",
        127: "DEL",
        0x85: "NEL",
        0x9B: "CSI",
        0x9D: "OSC",
    }
    kinds = {"Cc": "control", "Cs": "lone surrogate", "Cn": "noncharacter"}
    return controls.get(ord(char)) or name(char, "") or kinds.get(category(char), "unnamed")


# -- Look-alikes

_TWINS = (
    "аa еe оo рp сc уy хx ѕs іi јj һh ԁd ԛq ԝw кk мm тt вb нh АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT УY ХX "
    "αa οo ρp νv ιi κk τt υu ηn γy ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ıi ɡg ɑa ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg "
    "ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ‹< 〈< ⟨< ❮< ❬< ⧼< ˂< ᐸ< 《< ⟪< "
    "≪< ≺< ⋖< ❰< ⦑< ᚲ< 𝈶< 【[ 〔[ ⟦[ ❲[ ⁅[ 】] 〕] ⟧] ❳] ⁆] ∶: ꞉: ː: ⁄/ ∕/ ⧸/ ╱/ ∖\\ ⧵\\ "
    "ǀ| ∣| │| ┃| ❘| −- ˗- ⁃- đd ħh łl øo ŧt օo սu հh ոn"
)


@cache
def _twins() -> dict[int, str]:
    return {ord(pair[0]): pair[1] for pair in _TWINS.split()}


@cache
def _doubtful_pattern() -> re.Pattern[str]:
    twins = "".join(chr(code) for code in _twins() if 0x370 <= code < 0x530)
    return re.compile(
        r"(?P<private>[\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]+)"
        rf"|\b(?=[a-zA-Z]*+[{twins}])(?=[{twins}]*+[a-zA-Z])[a-zA-Z{twins}]++\b"
    )


_JOINTS = {"Mn": "", "Me": "", "Cf": "", "Pd": "-", "Pc": "_"}
"""What stands for a character of a category: for a mark nothing, for any dash a hyphen."""


@cache
def _folded_char(char: str) -> str:
    """Give the lower-case letters or signs a reader takes *char* for; nothing for a mark on a letter."""
    from unicodedata import category, normalize

    plain = normalize("NFKD", char).translate(_twins()).lower()
    return "".join(_JOINTS.get(category(sign), sign) for sign in plain)


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """Fold *text* to what it looks like; the numbers tell which character of *text* each one comes from."""
    if text.isascii():
        return _decoded(text.lower(), range(len(text)))
    parts = [_folded_char(char) for char in text]
    return _decoded("".join(parts), [at for at, part in enumerate(parts) for _ in part])


_NAMED = {
    "lang": "<", "langle": "<", "lsaquo": "<", "lsqb": "[", "lbrack": "[", "rsqb": "]", "rbrack": "]",
    "sol": "/", "bsol": "\\", "vert": "|", "verbar": "|", "colon": ":", "hyphen": "-", "dash": "-",
    "lowbar": "_", "excl": "!", "nbsp": " ", "tab": " ", "newline": "\n", "shy": "", "zwj": "", "zwnj": "",
}  # fmt: skip


@cache
def _code_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"""
            & (?: amp; | \#0*+38; | \#x0*+26; )*+ (?:
                (?P<less> lt | \#0*+60 | \#x0*+3c ) ;?
              | \#0*+ (?P<decimal> [0-9]{{1,7}} ) ;? | \#x0*+ (?P<hex> [0-9a-f]{{1,5}} ) ;?
              | (?P<named> {"|".join(_NAMED)} ) ; )
          | \\u\{{0*+ (?P<braced> [0-9a-f]{{1,5}} ) \}} | \\u (?:0000)?+ (?P<escaped> [0-9a-f]{{4}} )
          | \\x (?P<byte> [0-9a-f]{{2}} ) | % (?:25)* (?P<percent> [0-9a-f]{{2}} )
        """,
        re.VERBOSE,
    )


def _decoded(shadow: str, origin: Sequence[int]) -> tuple[str, Sequence[int]]:
    """Decode the entities of HTML and the escapes of JSON, of strings and of URLs in a folded text."""
    if not any(sign in shadow for sign in "&%\\"):
        return shadow, origin
    parts: list[str] = []
    places: list[int] = []
    done = 0
    for match in _code_pattern().finditer(shadow):
        kind, value = match.lastgroup or "", match[match.lastgroup or 0]
        if kind == "less":
            char = "<"
        elif kind == "named":
            char = _NAMED[value]
        else:
            char = _folded_char(chr(min(int(value, 10 if kind == "decimal" else 16), 0x10FFFF)))
        parts += shadow[done : match.start()], char
        places += (*origin[done : match.start()], *[origin[match.start()]] * len(char))
        done = match.end()
    return "".join((*parts, shadow[done:])), [*places, *origin[done:]]


# -- Markup of the hosts

# Beginnings of tag names, without what separates their words: `<system reminder>` is found by the first.
_HOST_STEMS = (
    "systemreminder", "systemprompt", "systemmessage", "userpromptsubmit", "sessionstart", "commandname",
    "commandmessage", "commandargs", "commandcontents", "localcommand", "bashinput", "bashstdout",
    "bashstderr", "functioncall", "functionresult", "antml", "invokename", "parametername", "toolcall",
    "toolresult", "toolresponse", "tooluse", "persistedoutput", "statesnapshot", "turnaborted",
    "usershellcommand", "extremelyimportant", "environmentdetails", "newdiagnostics", "teammatemessage",
    "systemwarning", "ideselection", "ideopenedfile", "permissionsinstructions", "startofturn", "endofturn",
)  # fmt: skip
_HOST_NAMES = frozenset({"system", "assistant", "human", "thinking", "instructions", "invoke"})
_HOST_ENDINGS = ("-reminder", "-hook", "-context", "-instructions", "-notification", "-caveat")


@cache
def _markup_pattern() -> re.Pattern[str]:
    return re.compile(
        r"""
            < (?= (?P<lead>[\s/\\!?]*+) (?P<phrase> (?P<name>[a-z][\w:.-]*+) [\w\s:.='"-]*+ ) )
          | < (?= \s*+ \| [\w\s\u2581-]++ \| )
          | < (?= \s*+ < \s*+ /?+ \s*+ sys \b )
          | < (?= !-- )
          | \[ (?= \s*+ /?+ \s*+
                (?: i\s*+n\s*+s\s*+t | (?:system|available|tool) [\s_]*+ (?:prompt|tools|calls|results) )
                \s*+ \] )
        """,
        re.VERBOSE,
    )


@cache
def _line_start_pattern(newlines: bool) -> re.Pattern[str]:
    # One line stands behind its number and id. "User: postgres" is a plain title there.
    roles = "human|assistant|user|system" if newlines else "human|assistant"
    return re.compile(
        rf"""
            ^ [ \t>\#*_.)0-9-]*+ \[ (?= [ \t]*+ (?: learnings | mistakes ) [ \t]*+ \] )
          | ^ [ \t>\#]*+ [*_]{{0,3}}+ (?: {roles} ) [ \t*_]*+ :
        """,
        re.VERBOSE | re.MULTILINE,
    )


def _with_markup_shown(text: str, newlines: bool) -> str:
    shadow, origin = _folded(text)
    places = {origin[at] for at in _host_markup(shadow)}
    places.update(origin[match.end() - 1] for match in _line_start_pattern(newlines).finditer(shadow))
    parts: list[str] = []
    done = 0
    for at in sorted(places):
        parts += text[done:at], _code(text[at])
        done = at + 1
    return "".join((*parts, text[done:]))


def _host_markup(shadow: str) -> Iterator[int]:
    """Find where markup starts that is a host's, or closes what *shadow* did not open."""
    open_tags: dict[str, int] = {}
    for match in _markup_pattern().finditer(shadow):
        lead, phrase, name = match.group("lead", "phrase", "name")
        if name is None or _is_host_tag(phrase):
            yield match.start()
        elif "/" not in lead:
            open_tags[name] = open_tags.get(name, 0) + 1
        elif open_tags.get(name):
            open_tags[name] -= 1
        else:
            yield match.start()


def _is_host_tag(phrase: str) -> bool:
    """Tell whether *phrase*, the name in a tag and what follows it, is a host's: `system - reminder`."""
    phrase = " ".join(phrase.split())
    name = re.sub(r" ?[-_]+ ?", "-", phrase).split(" ", 1)[0].rstrip("-.:")
    stem = re.sub(r"[\W_]+", "", phrase)
    return (
        not _HOST_NAMES.isdisjoint((name, stem))
        or name.endswith(_HOST_ENDINGS)
        or stem.startswith(_HOST_STEMS)
    )


# -- Markdown blocks

_NESTING = r"(?:[ \t]|[-*+][ \t]|[0-9]{1,9}[.)][ \t])*+"
_RAW_HTML = r"(?:[?]|![a-z]|!\[cdata\[|(?:script|pre|style|textarea)(?:[ \t>]|$))"


@cache
def _block_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"""
            (?P<indent>{_NESTING}) (?P<fence> `{{3,}}+ (?=[^`]*$) | ~{{3,}}+ )
          | (?P<heading> [^\S\t]{{0,3}} [#＃] ) (?= [#＃]{{0,2}} (?:\s|$) | [#＃]{{1,2}} [^#＃] )
          | (?P<underline> [ ]{{0,3}} (?: = (?= =*+ [ \t]*+ $ ) | - (?= -*+ [ \t]*+ $ ) ) )
          | (?P<raw> {_NESTING} (?:>[ ]?)*+ < ) (?= {_RAW_HTML} )
          | (?P<html> [ \t>*+.)0-9-]*+ < ) (?= [a-z/!?] (?!\+) )
        """,
        re.VERBOSE | re.IGNORECASE,
    )


def _contained(text: str) -> str:
    """Show what would make *text* more than one block to its neighbours, and close the fence it leaves open.

    A fence stays where CommonMark and a reader of plain lines agree on its end: at the margin, or deeper
    with no line inside that is less deep or looks like another fence. Any other is shown.
    """
    lines = text.split("\n")
    in_html = False
    at = 0
    while at < len(lines):
        line = lines[at]
        block = _block_pattern().match(line)
        if block is None:
            in_html = in_html and line.strip(" \t") != ""
        elif block["html"]:
            in_html = True
        elif (
            block["fence"] and not in_html and (end := _fence_end(lines, at, block["indent"], block["fence"]))
        ):
            at = end
        else:
            place = block.start("fence") if block["fence"] else block.end() - 1
            lines[at] = line[:place] + _code(line[place]) + line[place + 1 :]
        at += 1
    return "\n".join(lines)


def _fence_end(lines: list[str], start: int, nesting: str, run: str) -> int:
    """Find the line that closes a fence, added where the text ends first; 0 for a fence not to be trusted."""
    indent = re.sub(r"[^\t]", " ", nesting)
    for at in range(start + 1, len(lines)):
        line = lines[at]
        if not line.strip(" \t"):
            continue
        if not line.startswith(indent):
            return 0
        inner = line[len(indent) :].rstrip(" \t")
        sign = inner.lstrip(" ")
        if sign.startswith(run) and not sign.strip(run[0]) and len(inner) - len(sign) <= (0 if indent else 3):
            return at
        if indent and inner.lstrip(" \t").startswith(("```", "~~~")):
            return 0
    lines.insert(len(lines) - (lines[-1] == ""), indent + run)
    return len(lines) - 1


# -- Cutting


def _is_cjk(char: str) -> bool:
    """Tell whether a line may break beside *char*: ideographs, kana, their signs and full-width forms."""
    return (
        "\u2e80" <= char <= "\u9fff"
        or "\uf900" <= char <= "\ufaff"
        or "\uff00" <= char <= "\uffef"
        or char >= "\U00020000"
    )


def _is_joint(text: str, at: int) -> bool:
    """Tell whether `text[at]` belongs to one grapheme with what is before it.

    Source: Unicode Standard Annex 29, with every ZWJ taken for one inside an emoji sequence.
    """
    before, char = text[at - 1], text[at]
    if char.isascii():
        return before == "\r" and char == "\n"
    from unicodedata import category, combining

    if before == "\u200d" or char in "\u200c\u200d" or category(char) in ("Mn", "Mc", "Me"):
        return True
    if "\U0001f3fb" <= char <= "\U0001f3ff" or "\U000e0020" <= char <= "\U000e007f" or char in "\u0e33\u0eb3":
        return True
    if "\U0001f1e6" <= char <= "\U0001f1ff":
        start = at
        while start and "\U0001f1e6" <= text[start - 1] <= "\U0001f1ff":
            start -= 1
        return (at - start) % 2 == 1
    jamo = "\u1160" <= char <= "\u11ff" or ("\u1100" <= before <= "\u115f" and "\u1100" <= char <= "\ud7a3")
    return jamo or (combining(before) == 9 and category(char)[0] == "L")
