"""Whether a lesson stands in a registry already, in these words or in others.

Two lessons are the same if they share most of their words and nothing decisive differs: a number, a
negation, a tool, a direction, an environment, or the one word that was put in the place of another. Lessons
that share words only are near: worth a look, and no more.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache
from heapq import nlargest
from math import log

from .document import Fields, parse
from .learning import learnings as entries_of
from .record import TYPE_CHECKING, NamedTuple
from .registry import amend, find, reinforce, reopen
from .relevance import keyword_overlap
from .tokens import is_spaceless, stem, tokens
from .vocabulary import is_stop, same_meaning, spaceless

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Collection, Iterable, Iterator

    from .learning import Learning

SAME_KEYWORDS = 0.6
"""The published threshold: more than this share of the keywords of the shorter list."""

MOST_COMPARED = 200
"""How many learnings of a large registry are compared word by word."""

ALIKE = 0.44
NEAR = 0.35

_FEWEST_WORDS = 3
_SAME_WORD = 0.8
_WORTH_SPELLING = 0.2
_SAME_ORDER, _SOME_ORDER = 0.5, 0.35
_WHOLE_WORD = 4
_SAME_CLAIM = 0.7
_SAME_SENTENCE = 0.9
_MOST_SENTENCES = 12

# Words of which one excludes the others, one kind a line.
_CONTRASTS = """
before after antes después tras 전에 후에 전 후 之前 之后 前 后
first last primero último 먼저 나중 先
up down arriba abajo
ascending descending ascendente descendente 오름차순 내림차순 升序 降序
increase decrease raise lower reduce aumentar reducir subir bajar 늘린 줄인 增加 减少 调高 调低
enable disable activar desactivar 켜 끄 켠다 끈다 开启 关闭 启用 禁用
allow reject forbid accept refuse permitir rechazar 허용 거부 允许 拒绝
read write leer escribir 읽기 쓰기 读操作 写操作
upload download subida descarga 업로드 다운로드 上传 下载
client server cliente servidor 클라이언트 서버 客户端 服务端
push pull
open close abrir cerrar 열 닫
add remove añadir quitar 추가 제거 添加 删除
create update delete crear borrar 생성 수정 삭제
soft hard
seconds milliseconds microseconds minutes hours days segundos milisegundos minutos horas días
bits bytes kilobytes megabytes gigabytes
safe unsafe
valid invalid
sync async
synchronous asynchronous
public private
access refresh
start stop iniciar parar 시작 종료 启动 停止
left right izquierda derecha 왼쪽 오른쪽 左 右
minimum maximum min max mínimo máximo 최소 최대 最小 最大
public private público privado 공개 비공개 公开 私有
internal external interno externo 내부 외부 内部 外部
source target origen destino
synchronous asynchronous sync async síncrono asíncrono 동기 비동기 同步 异步
local remote remoto 로컬 원격 本地 远程
primary replica secondary 主库 从库
required optional obligatorio opcional 필수 선택 必填 选填
staging production prod development dev demo test preproducción producción desarrollo pruebas 스테이징 운영 개발 预发 生产 测试
ci laptop laptops
linux windows macos mac android ios ubuntu alpine debian
eu us europe asia america
chrome safari firefox edge
npm pnpm yarn bun
docker podman
vitest jest mocha pytest unittest
black ruff prettier eslint flake8 biome
mysql mariadb postgres postgresql sqlite oracle mongodb
redis memcached valkey
nginx apache caddy traefik
github gitlab bitbucket
poetry uv pip pipenv conda
kafka rabbitmq sqs nats
react vue angular svelte
maven gradle
aws gcp azure
cargo go
stripe adyen paypal redsys
slack teams discord
throttle debounce
get post put patch
day week month year hour minute second día semana mes año hora minuto segundo
debug release
inbound outbound
incoming outgoing
upstream downstream
import export importar exportar 导入 导出
encode decode 编码 解码
encryption decryption 加密 解密
include exclude incluir excluir 포함 제외 包含 排除
parent child padre hijo 부모 자식
inner outer
inside outside dentro fuera
above below
head tail
eager lazy
static dynamic
strict lenient loose
lowercase uppercase minúsculas mayúsculas 소문자 대문자 小写 大写
tabs spaces
json yaml toml xml
http https
tcp udp
horizontal vertical
producer consumer
sender receiver 송신 수신
input output entrada salida 입력 출력 输入 输出
authentication authorization
unit integration
merge rebase squash
hourly daily weekly monthly diario semanal mensual
expand collapse
show hide mostrar ocultar 显示 隐藏
grant revoke
float integer
global local
manual automatic
install uninstall 安装 卸载
true false
on off
least most 至少 至多 最多 最少
more less fewer más menos
larger smaller mayor menor
once twice
same different
이상 이하
초과 미만
以上 以下
"""  # noqa: E501 - one kind a line

# What opposites begin with.
_OPPOSED = (
    ("", "un"), ("", "in"), ("", "im"), ("", "dis"), ("", "non"), ("", "de"), ("in", "out"), ("in", "ex"),
    ("im", "ex"), ("up", "down"), ("en", "dis"), ("en", "de"), ("pre", "post"), ("over", "under"),
    ("inter", "intra"), ("multi", "single"), ("at", "de"), ("sub", "super"), ("lower", "upper"),
)  # fmt: skip
_SHORTEST_ROOT = 3

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|without|cannot|avoid|forbid(?:den)?|nunca|ni|sin|jamás|prohibid[oa]s?)\b"
    r"|n['’]t\b|\b(?:dont|cant|doesnt)\b"
    r"|禁止|不|别|勿|无法|没有|없|않|안 [되된됩돼]|말고|말아|지 마|금지|못",
    re.IGNORECASE,
)
# Negated, and yet an order to do it.
_AFFIRMED = re.compile(r"\b(?:do not|don['’]?t|never) forget\b|不要忘|别忘|잊지", re.IGNORECASE)
_PREFERENCE = re.compile(
    r"([\w.-]+),? (?:not|over|instead of|rather than|en vez de|en lugar de|y no|no) ([\w.-]+)", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_ORDER = re.compile(r"\b(before|after|antes|después|tras)\b", re.IGNORECASE)
_LATER = frozenset(("after", "después", "tras"))
_SENTENCE = re.compile(r"[.;!?。;!?]+(?:\s|\Z)|\n")


class Lesson(NamedTuple):
    """What two lessons are compared by."""

    title: str
    learning: str
    keywords: tuple[str, ...] = ()


class Comparison(NamedTuple):
    """How alike two lessons are, 0-1, and what decisive differs, "" for nothing."""

    similarity: float
    differs: str

    @property
    def same(self) -> bool:
        """Whether one entry would do."""
        return self.similarity >= ALIKE and not self.differs


class Similar(NamedTuple):
    """A learning that a lesson resembles, whether it is the same, and what differs."""

    learning: Learning
    similarity: float
    same: bool
    differs: str

    def __str__(self) -> str:
        but = f", but {self.differs}" if self.differs else ""
        return f"similar to {self.learning.id}{but}: {self.learning.title}"


def lesson_of(learning: Learning) -> Lesson:
    """Take from an entry what it is compared by."""
    return Lesson(learning.title, learning.learning, learning.keywords)


def similar(lesson: Lesson, learnings: Iterable[Learning], *, n: int = 3) -> tuple[Similar, ...]:
    """Find the learnings that a lesson repeats or resembles: at most *n*, the same ones first.

    The same are those with the same keywords (`same_keywords`) or words (`compare`), unless something
    decisive differs. Of more than 400 learnings, the 200 are compared that hold most of the lesson's rare
    words.
    """
    found = []
    for learning in _candidates(lesson, tuple(learnings)):
        other = lesson_of(learning)
        likeness, differs = compare(lesson, other)
        by_keywords = same_keywords(lesson.keywords, other.keywords)
        if by_keywords or likeness >= NEAR:
            differs = differs or (_difference(lesson, other) if by_keywords else "")
            same = not differs and (by_keywords or likeness >= ALIKE)
            found.append(Similar(learning, likeness, same, differs))
    return tuple(nlargest(n, found, key=lambda each: (each.same, each.similarity)))


def _candidates(lesson: Lesson, learnings: tuple[Learning, ...]) -> Iterable[Learning]:
    """Those worth comparing word by word, which costs a thousand times as much as looking for a few words."""
    if len(learnings) <= 2 * MOST_COMPARED:
        return learnings
    text = f"{lesson.title} {lesson.learning} {' '.join(lesson.keywords)}"
    words = {token for token in tokens(text) if not is_stop(token)}
    texts = [_raw(learning).casefold() for learning in learnings]
    scores = [0.0] * len(texts)
    for word in words:
        holders = [at for at, text in enumerate(texts) if word in text]
        weight = log(1 + len(texts) / (len(holders) + 1))
        for at in holders:
            scores[at] += weight
    best = nlargest(MOST_COMPARED, range(len(scores)), key=scores.__getitem__)
    return [learnings[at] for at in sorted(best) if scores[at]]


def _raw(learning: Learning) -> str:
    fields = learning.fields
    if isinstance(fields, Fields):
        return f"{learning.title}\n{fields.text[fields.start : fields.end]}"
    return "\n".join((learning.title, *fields.values()))


class Shelf:
    """Learnings made ready to be compared with many lessons: only those that share words are looked at.

    Of those that share a fifth of the words of the shorter lesson, or two keywords, the *most* that share
    the largest part are compared; no other can be `NEAR`.
    """

    def __init__(self, learnings: Iterable[Learning], *, most: int = 30) -> None:
        self.most = most
        self.learnings = tuple(learnings)
        self.sizes: list[int] = []
        self.holding: dict[str, list[int]] = {}
        for number, learning in enumerate(self.learnings):
            lesson = lesson_of(learning)
            words = _content(_text(lesson))
            self.sizes.append(len(words))
            for word in (*words, *(f"#{keyword.casefold()}" for keyword in lesson.keywords)):
                self.holding.setdefault(word, []).append(number)

    def similar(self, lesson: Lesson, *, n: int = 3) -> tuple[Similar, ...]:
        """`similar`, for the learnings of the shelf."""
        words = _content(_text(lesson))
        shared = Counter(number for word in words for number in self.holding.get(word, ()))
        shares = {
            number: count / max(min(len(words), self.sizes[number]), _FEWEST_WORDS)
            for number, count in shared.items()
        }
        keywords = (f"#{keyword.casefold()}" for keyword in lesson.keywords)
        alike = Counter(number for keyword in keywords for number in self.holding.get(keyword, ()))
        shares.update({number: 1.0 for number, count in alike.items() if count > 1})
        worth = [number for number, share in shares.items() if share >= _WORTH_SPELLING]
        best = nlargest(self.most, worth, key=lambda number: (shares[number], -number))
        return similar(lesson, (self.learnings[number] for number in sorted(best)), n=n)


def meet_again(text: str, name: str, *, now: dt.datetime) -> str:
    """Record that a lesson of the registry was met again: it is reinforced, and reopened if it was resolved.

    A confidence that it states rises by 0.05, to 1 at most.

    Raises:
        NotFoundError, RegistryError: As `registry.amend`.

    Source: the published rule of session learning.
    """
    entry = find(entries_of(parse(text)), name)
    text = reinforce(reopen(text, entry.id), entry.id, now=now)
    if entry.confidence is None:
        return text
    return amend(text, entry.id, fields={"Confidence": f"{min(entry.confidence + 0.05, 1.0):.2f}"})


def same_keywords(first: Collection[str], second: Collection[str]) -> bool:
    """Tell whether more than 0.6 of the keywords of the shorter list stand in the other.

    A single keyword in common names a subject, and no lesson: it takes two on each side.

    Source: the published rule of session learning, for lessons with three to five keywords.
    """
    return min(len(first), len(second)) > 1 and keyword_overlap(first, second) > SAME_KEYWORDS


def compare(first: Lesson, second: Lesson) -> Comparison:
    """Compare two lessons by the words of title and lesson.

    The similarity is the mean of two shares: of the words of both in the words of the shorter one, and in
    those of either; fewer than three words count as three. Words of one meaning are one word, and so are
    misspelt ones. What differs is looked for only in lessons that are alike.
    """
    ours, theirs = _content(_text(first)), _content(_text(second))
    shared = ours & theirs
    shorter = max(min(len(ours), len(theirs)), _FEWEST_WORDS)
    common = len(shared)
    if common / shorter >= _WORTH_SPELLING:
        common += _misspelt(ours - shared, theirs - shared)
    either = max(len(ours) + len(theirs) - common, _FEWEST_WORDS)
    likeness = (common / shorter + common / either) / 2
    return Comparison(likeness, _difference(first, second) if likeness >= ALIKE else "")


def _difference(first: Lesson, second: Lesson) -> str:
    """Say what decisive differs between two lessons on the same thing, "" for nothing."""
    ours, theirs = _text(first), _text(second)
    numbers = _exclusive(set(_NUMBER.findall(ours)), set(_NUMBER.findall(theirs)))
    return (
        (numbers and f"numbers: {numbers}")
        or _contrast(ours, theirs)
        or _contrast(first.title, second.title)
        or _turned(ours, theirs)
        or _swapped(ours, theirs)
        or _negated(first, second)
        or _replaced(ours, theirs)
    )


def _exclusive(ours: set[str], theirs: set[str]) -> str:
    """What each has and the other has not; "" where only one has more than the other."""
    mine, other = sorted(ours - theirs), sorted(theirs - ours)
    return f"{', '.join(mine)} / {', '.join(other)}" if mine and other else ""


def _contrast(ours: str, theirs: str) -> str:
    """Name words that exclude each other, each on one side only, in texts that run alike to some extent.

    Who says the same in words of their own may well open what the other closes.
    """
    said, said_there = _words(ours), _words(theirs)
    if SequenceMatcher(None, said, said_there, autojunk=False).ratio() < _SOME_ORDER:
        return ""
    mine, other = frozenset(said), frozenset(said_there)
    for kind in _contrasts():
        one = [word for word in kind if _holds(word, ours, mine) and not _holds(word, theirs, other)]
        two = [word for word in kind if _holds(word, theirs, other) and not _holds(word, ours, mine)]
        if one and two:
            return f"{one[0]} / {two[0]}"
    pairs = ((one, two) for one in sorted(mine - other) for two in sorted(other - mine))
    return next((f"{one} / {two}" for one, two in pairs if _opposite(one, two)), "")


def _opposite(one: str, two: str) -> bool:
    """Tell whether two words are opposites by what they begin with: "mutable" and "immutable"."""
    return any(
        one.startswith(first) and two.startswith(second) and one[len(first) :] == two[len(second) :] != ""
        for pair in _OPPOSED
        for first, second in (pair, pair[::-1])
        if min(len(one) - len(first), len(two) - len(second)) >= _SHORTEST_ROOT
    )


def _holds(word: str, text: str, words: frozenset[str]) -> bool:
    return word in text if is_spaceless(word) else word in words


def _turned(ours: str, theirs: str) -> str:
    """Tell whether what comes before in one text comes after in the other."""
    for marker, early, late in _orders(ours):
        for _, others_early, others_late in _orders(theirs):
            straight = _jaccard(early, others_early) + _jaccard(late, others_late)
            crossed = _jaccard(early, others_late) + _jaccard(late, others_early)
            if crossed > straight and crossed > 0.5:
                return f"the order: {marker}"
    return ""


def _orders(text: str) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    """What comes early and what late, of each sentence that says so once."""
    for sentence in _SENTENCE.split(text):
        left, *marked = _ORDER.split(sentence)
        if len(marked) == 2:
            marker, right = marked
            early, late = _content(left), _content(right)
            if early and late:
                yield (marker, late, early) if marker.lower() in _LATER else (marker, early, late)


def _swapped(ours: str, theirs: str) -> str:
    """Tell whether one prefers what the other leaves: "rebase, not merge" against "merge, not rebase"."""
    mine = {(found[1].casefold(), found[2].casefold()) for found in _PREFERENCE.finditer(ours)}
    turned = {(found[2].casefold(), found[1].casefold()) for found in _PREFERENCE.finditer(theirs)}
    return next((f"{wanted} / {left}" for wanted, left in sorted(mine & turned)), "")


def _negated(first: Lesson, second: Lesson) -> str:
    """Tell whether one denies what the other says: a sentence in the same words, or title and lesson."""
    for mine in _sentences(first):
        for other in _sentences(second):
            if (
                _denies(mine) != _denies(other)
                and _jaccard(_content(mine), _content(other)) >= _SAME_SENTENCE
            ):
                return "a negation"
    if _denies(first.title) == _denies(second.title) or _denies(first.learning) == _denies(second.learning):
        return ""
    ours, theirs = _content(_text(first)), _content(_text(second))
    claim = len(ours & theirs) / max(min(len(ours), len(theirs)), 1)
    return "a negation" if claim >= _SAME_CLAIM else ""


def _sentences(lesson: Lesson) -> list[str]:
    parts = [*_SENTENCE.split(lesson.title), *_SENTENCE.split(lesson.learning)]
    clauses = [clause for part in parts for clause in (part, *part.split(":")[:1])]
    return [clause for clause in dict.fromkeys(clauses) if clause.strip()][:_MOST_SENTENCES]


def _denies(text: str) -> bool:
    return len(_NEGATION.findall(_AFFIRMED.sub("", text))) % 2 == 1


def _replaced(ours: str, theirs: str) -> str:
    """Name a word or two that stand in the place of others, in texts that otherwise run alike."""
    mine, other = _words(ours), _words(theirs)
    matcher = SequenceMatcher(None, mine, other, autojunk=False)
    if matcher.ratio() < _SAME_ORDER:
        return ""
    for operation, start, end, others_start, others_end in matcher.get_opcodes():
        if operation == "replace" and max(end - start, others_end - others_start) <= 2:
            out = [word for word in mine[start:end] if word not in other and not is_stop(word)]
            into = [word for word in other[others_start:others_end] if word not in mine and not is_stop(word)]
            if out and into and not any(_is_near(one, two) for one in out for two in into):
                return f"{' '.join(out)} / {' '.join(into)}"
    return ""


def _is_near(one: str, two: str) -> bool:
    """Tell whether two words are one, inflected, misspelt, in other words, or a number written out."""
    if one.startswith(two) or two.startswith(one) or one in same_meaning(two):
        return True
    if one.isdecimal() != two.isdecimal():
        return True
    if is_spaceless(one):
        return not set(one).isdisjoint(two)
    return SequenceMatcher(None, one, two).ratio() >= _SAME_WORD


def _misspelt(ours: frozenset[str], theirs: frozenset[str]) -> int:
    """Count the words on one side that stand misspelt or shortened on the other: "stats" and "statistics"."""
    left = {word for word in theirs if len(word) >= _WHOLE_WORD}
    count = 0
    for word in sorted(word for word in ours if len(word) >= _WHOLE_WORD):
        for other in sorted(left):
            if word[0] == other[0] and (
                word.startswith(other)
                or other.startswith(word)
                or SequenceMatcher(None, word, other).ratio() >= _SAME_WORD
            ):
                left.discard(other)
                count += 1
                break
    return count


def _text(lesson: Lesson) -> str:
    """Title and lesson; a title that is made of the lesson's first words would be those words twice."""
    start = lesson.title.rstrip(" .…").casefold()
    if lesson.learning.casefold().startswith(start):
        return lesson.learning
    return f"{lesson.title}. {lesson.learning}"


def _words(text: str) -> list[str]:
    return tokens(text, _known())


@lru_cache(maxsize=16384)
def _content(text: str) -> frozenset[str]:
    """The words of a text that say something, those of one meaning as one."""
    return frozenset((same_meaning(word) or (word,))[0] for word in _words(text) if not is_stop(word))


def _jaccard(ours: frozenset[str], theirs: frozenset[str]) -> float:
    return len(ours & theirs) / max(len(ours | theirs), 1)


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    return spaceless() | {word for word in _CONTRASTS.split() if is_spaceless(word) and len(word) > 1}


@lru_cache(maxsize=1)
def _contrasts() -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(word if is_spaceless(word) else stem(word) for word in line.split())
        for line in _CONTRASTS.strip().splitlines()
    )
