"""Work that a lesson seldom helps with, told by what is asked: an answer, prose, looks, a chore, a slip.

Most tasks that share their words with a lesson, and yet do not need it, are of these kinds. Which one it is
stands in a few words: those that open the task, those that name what is to be made, or what a compiler says.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from .record import TYPE_CHECKING, NamedTuple
from .tokens import is_spaceless, stem, tokens

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

QUESTION, PROSE, LOOKS, CHORE, SLIP = "a question", "prose", "looks", "a chore", "a slip"

_LEFT, _LEAST_LEFT = 0.6, 0.35

# What a question for information opens with; `_` joins two words. In scripts without spaces it is at the end.
_ASKING = """
what which who whose whom explain describe summarise summarize compare tell list show print count estimate
draw sketch outline how_many how_much how_often how_long how_old how_big how_large when_was when_did when_is
where_is where_are is_there are_there do_we does_the does_our does_this does_it
qué_es qué_son qué_hace qué_significa qué_versión qué_diferencia cuál cuáles cuántos cuántas cuánto quién
quiénes dónde_está dónde_están explica explícame describe resume enumera lista muestra muéstrame
dime compara
알려 설명 보여줘 보여주 뭐야 뭐지 뭐였 무엇인 몇 차이 비교 요약 인가요 누구 언제 어디
是什么 什么意思 区别 解释 介绍 哪个 哪些 哪里 多少 几个 原理 列出 总结 对比 看一下
"""
# What may stand before that, and says nothing.
_POLITE = """
a an and can could d did give hello hey hi i just let like me now of ok okay please pls question quick
quickly remind s so the to us want we well would you d ll git una un por favor puedes podrías me
"""
# Whoever says so asks for a cause or a judgement, and that may be what a lesson tells.
_TROUBLE = """
should wrong cause reason fail fails failing failure failed error errors broken break breaks slow crash
crashes happen happens prepare careful safe fix problem unused delete remove never always instead complain
complains blocked stuck hang hangs dies kills killed lost gone missing twice still although
debería falla fallan error errores problema lento queja tarda sigue
왜 안 못 오류 에러 실패 예외 为什么 报错 失败 异常 不对 不了
"""
# Words for people to read.
_PROSE = """
explain document documents documentation doc docs md rst adoc readme adr wiki changelog contributing guide
manual handbook runbook tutorial glossary faq license licence copyright codeowners author authors maintainer
maintainers comment comments docstring docstrings diagram slide slides presentation draft announcement
newsletter wording reword rephrase sentence paragraph typo spelling grammar summary summarise summarize
translate translation badge badges storybook release_notes commit_message
documenta documentación comentario comentarios redacta resumen borrador traduce traducción errata ortografía
문서 위키 주석 오타 맞춤법 문구 초안 번역 발표 회의록 가이드 매뉴얼 설명
文档 注释 文案 翻译 草稿 规范 写一段 示例 说明 错别字 手册
"""
# How a page looks.
_LOOKS = """
color colour colors colours darker lighter brighter wider narrower taller thicker bold
italic font fonts padding margin margins spacing gap border borders shadow rounded corner corners align
aligned alignment center centre centered centred icon icons logo favicon banner theme dark_mode placeholder
tooltip headline caption emoji photo picture background greeting footer animation hover style styles
css color colores icono fuente tono saludo negrita cabecera fondo
색상 색깔 글자 글씨 아이콘 간격 가운데 배경 여백 정렬해 颜色 字体 图标 居中 对齐 间距 背景 样式 标题
"""
# What a chore opens with.
_CHORES = """
rename sort reorder reformat format prettify indent alphabetize split extract inline bump hide tag group
swap tidy cherry renombra ordena cambia escribe mueve oculta
이름을 순서 改名 重命名 改成 命名
"""

_OPENING = 200

_OUTPUT = r"(?i)^Exit code \d+|error|exception|warning|fail|traceback|错误|失败|에러|오류|fall[oó]"
# What a compiler, a linter or a tool says of something misspelt, unknown or missing; in lower case.
_SLIPS = """
syntax_error syntaxerror parse_error parseerror unexpected_token unexpected_indent unexpected_eof
unexpected_end unexpected_identifier unexpected_argument unexpected_keyword unexpected_' unexpected_"
unexpected_` expected_' expected_" expected_` did_you_mean did_you_forget perhaps_you_meant
unused never_used never_read
not_assignable mismatched_type incompatible_type incompatible_return incompatible_default cannot_be_converted
positional_argument too_many_arguments too_few_arguments not_enough_arguments ambiguous
nameerror is_not_defined undefined:_ undeclared cannot_find_symbol cannot_find_name cannot_find_value
cannot_find_type cannot_find_function zerodivision division_by_zero divide_by_zero nil_map indexerror
out_of_range out_of_bounds cannot_read_propert unknown_instruction unknown_command unknown_option
unknown_field unknown_flag unknown_argument unknown_key unknown_property unsupported_argument unrecognized
not_expected_here missing_script no_rule_to_make pathspec does_not_exist doesn't_exist command_not_found
already_exists already_allocated already_in_use still_in_use no_such not_a_git_repository
找不到符号 找不到模块 未使用 未定义 语法错误 no_existe no_está_definid 찾을_수_없
"""
# The numbers and names that linters and compilers give to them.
_CODE = r"(?m)\b[EFWCB]\d{3,4}\b|\bTS\d{4}\b|error\[E\d{4}\]|\[[a-z]+-[a-z-]+\]$|fixture .{1,40} not found"


class Work(NamedTuple):
    """A kind of plain work, and the words that tell it, () where it is told by how the task opens."""

    kind: str
    words: tuple[str, ...] = ()


def plain_work(task: str) -> tuple[Work, ...]:
    """Tell which kinds of plain work a task asks for: of an error's output only whether it is a slip."""
    if "\n" in task and re.search(_OUTPUT, task):
        return (Work(SLIP),) if _is_slip(task) else ()
    return tuple(_kinds(task))


def counted(work: Iterable[Work], met: Collection[str]) -> tuple[str, ...]:
    """List the kinds of a task's work that count against a lesson which holds the words *met* of the task.

    A kind of which the lesson holds all words is what the lesson is on.
    """
    return tuple(kind for kind, words in work if not words or not all(word in met for word in words))


def share_left(kinds: Collection[str]) -> float:
    """How much of its score is left to a lesson for a task of some kinds: 0.6 for each, and 0.35 at least."""
    return max(_LEFT ** len(kinds), _LEAST_LEFT)


def _kinds(task: str) -> Iterator[Work]:
    words = tokens(task)
    said = frozenset((*words, *map(" ".join, pairwise(words))))
    prose = _told(_PROSE, task, said)
    if prose:
        yield Work(PROSE, prose)
    if _told(_TROUBLE, task, said):
        return
    looks = _told(_LOOKS, task, said)
    if looks:
        yield Work(LOOKS, looks)
    opening = _opening(task)
    for kind, table in ((QUESTION, _ASKING), (CHORE, _CHORES)):
        if not opening.isdisjoint(table.split()) or _within(table, task):
            yield Work(kind)


def _is_slip(output: str) -> bool:
    lower = output.lower()
    phrases = (phrase.replace("_", " ") for phrase in _SLIPS.split())
    return any(phrase in lower for phrase in phrases) or bool(re.search(_CODE, output))


def _opening(task: str) -> frozenset[str]:
    """The first word that says something, and that with the next; not as stems: "renamed" orders nothing."""
    words = re.findall(r"[^\W_]+", task[:_OPENING].lower())
    polite = frozenset(_POLITE.split())
    at = next((at for at, word in enumerate(words) if word not in polite), len(words))
    return frozenset((*words[at : at + 1], "_".join(words[at : at + 2])))


def _told(table: str, task: str, said: frozenset[str]) -> tuple[str, ...]:
    """The words and phrases of a table that a task holds, as stems."""
    return (*sorted(said & _stems(table)), *_within(table, task))


def _within(table: str, task: str) -> tuple[str, ...]:
    return tuple(word for word in table.split() if is_spaceless(word) and word in task)


@lru_cache(maxsize=4)
def _stems(table: str) -> frozenset[str]:
    return frozenset(" ".join(map(stem, word.split("_"))) for word in table.split() if not is_spaceless(word))
