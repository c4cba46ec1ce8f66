"""The words by which lesson files name their parts and rate them, in nine languages.

Languages: English, Chinese, Japanese, Korean, Spanish, French, Russian, Ukrainian; German as far as it
costs nothing. Words are compared folded: without case, emphasis, emoji and brackets.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata

from qlearn.learning import CATEGORIES, parse_day

# What a label means. META parts become fields of their own where their value can be read.
META = (
    "date", "status", "severity", "type", "keywords", "confidence", "files", "trigger", "domain", "context",
    "used", "key", "reinforced", "id",
)  # fmt: skip
# The parts that say what to do, the best first.
LESSONS = ("rule", "lesson", "action", "prevention", "fix", "resolution", "decision")

_WORDS = """
date:
    date, logged, created, created at, created on, added, date added, discovered, recorded, learned on,
    when, timestamp, datum, 日期, 时间, 時間, 日時, 日付, 记录时间, 날짜, 일자, 일시, fecha, créé,
    créé le, дата
status:
    status, state, 状态, 狀態, ステータス, 状態, 상태, estado, statut, état, статус, стан, состояние
severity:
    priority, severity, importance, 优先级, 優先級, 優先度, 严重程度, 严重性, 嚴重性, 重要度, 重要性,
    우선순위, 심각도, 중요도, prioridad, gravedad, severidad, priorité, gravité, sévérité, приоритет,
    важность, серьёзность, серьезность, пріоритет, важливість, серйозність, priorität
type:
    type, kind, category, 类型, 類型, 分类, 分類, 类别, 類別, 種類, カテゴリ, カテゴリー, 유형, 종류,
    분류, 카테고리, tipo, categoría, catégorie, тип, категория, категорія, kategorie
keywords:
    keywords, tags, tag, 标签, 標籤, 关键词, 關鍵詞, タグ, キーワード, 태그, 키워드, etiquetas,
    palabras clave, étiquettes, mots-clés, mots clés, теги, метки, ключевые слова, мітки, ключові слова
confidence:
    confidence, 置信度, 信頼度, 신뢰도, confianza, confiance, уверенность, впевненість
files:
    files, file, related files, files changed, 文件, 相关文件, 相關檔案, ファイル, 関連ファイル, 파일,
    관련 파일, archivos, fichiers, файлы, файли
trigger:
    trigger, triggers, applies to, applies when, when to apply, 触发, 触发条件, 觸發條件, 適用条件,
    トリガー, 트리거, 적용 조건, disparador, déclencheur, триггер, тригер
domain:
    domain, area, module, component, 领域, 模块, 領域, モジュール, 영역, 모듈, módulo, área, domaine,
    модуль, область
context:
    context, background, scenario, 上下文, 背景, 场景, 場景, コンテキスト, 状況, 맥락, 배경, 상황,
    contexto, contexte, контекст
used:
    used, hits, times used, hit count
key:
    key, pattern-key
reinforced:
    reinforced, last-seen, last seen, last occurrence
id:
    id, 编号, 番号, 번호
rule:
    rule, rules, the rule, new rule, rule going forward, rule to prevent it, prevention rule, guideline,
    correct, right, 规则, 規則, 正确做法, 正確做法, ルール, 正しい方法, 규칙, 올바른 방법, regla,
    correcto, règle, правило, правильно, regel
lesson:
    lesson, lessons, lesson learned, lessons learned, key lesson, learning, key learning, takeaway,
    key takeaway, insight, key insight, learned, what we learned, 教训, 教訓, 经验, 經驗, 经验教训,
    經驗教訓, 心得, 学び, 学んだこと, 교훈, 배운 점, lección, lección aprendida, aprendizaje, leçon,
    leçon apprise, apprentissage, урок, извлечённый урок, вывод, висновок, lektion
action:
    action, actions, suggested action, how to apply, next time, going forward, recommendation, 行动,
    行動, 措施, 建议, 建議, 下次, アクション, 次回, 행동, 다음에는, acción, la próxima vez,
    recommandation, la prochaine fois, действие, дія, наступного разу
prevention:
    prevention, prevent, how to avoid, how to prevent, avoid by, guardrail, 预防, 預防, 预防措施,
    如何避免, 避免方法, 再発防止, 再発防止策, 予防, 예방, 재발 방지, prevención, cómo evitarlo,
    prévention, comment éviter, профилактика, предотвращение, как избежать, запобігання, як уникнути
resolution:
    resolution
fix:
    fix, solution, correction, workaround,
    what worked, suggested fix, 修复, 修復, 解决,
    解決, 解决方案, 解決方案, 解决方法, 解決策, 解決方法, 対処, 対処法, 対応, 修正, 해결, 해결책,
    해결 방법, 수정, 조치, solución, arreglo, corrección, correctif, решение, исправление, рішення,
    виправлення, lösung
decision:
    decision, decision outcome, decided, choice, chosen option, outcome, what, what was decided, 决定, 決定,
    决策, 決策, 結論, 결정, 결정 사항, decisión, décision, вибір, выбор
problem:
    problem, vulnerability, issue, symptom, symptoms, error, mistake, mistake pattern, what happened,
    what went wrong, wrong, failure, failure mode, bug, incident, pattern to avoid, 问题, 問題, 现象, 現象,
    症状, 症狀, 错误, 錯誤, 事象, エラー, ミス, 문제, 증상, 오류, 실수, problema, síntoma, síntomas, qué pasó,
    problème, symptôme, erreur, ce qui s'est passé, проблема, симптом, ошибка, что случилось, помилка,
    що сталося, fehler
cause:
    cause, root cause, why, why it happened, why it matters, reason, rationale, 原因, 根本原因, 根因,
    为什么, 為什麼, 원인, 근본 원인, 이유, causa, causa raíz, por qué, cause racine, pourquoi, raison,
    причина, первопричина, почему, чому, ursache
summary:
    summary, 摘要, 总结, 概要, 要約, 요약, resumen, résumé, кратко, резюме, підсумок
details:
    details, detail, description, evidence, example, examples, impact, cost, notes, note,
    detection, verification, metadata, 详情, 描述, 说明, 例子, 示例, 影响, 詳細, 説明, 例, 影響, 설명,
    상세, 예시, 영향, detalles, descripción, ejemplo, impacto, détails, exemple, подробности, описание,
    пример, деталі, опис, приклад
"""

_TYPES = """
mistake:
    mistake, mistakes, error, errors, bug, bugs, correction, corrections, anti-pattern, anti-patterns,
    antipattern, failure, do-not-repeat, 错误, 錯誤, 错题, 纠正, ミス, 間違い, 오류, 실수, errores,
    erreur, erreurs, ошибка, ошибки, помилка, помилки, vulnerability
convention:
    convention, conventions, pattern, patterns, best practice, best practices, practice, practices,
    preference, preferences, user preferences, rule, rules, style, standard, standards, guideline,
    guidelines, insight, feedback, 规范, 規範, 约定, 约束, 规则, 最佳实践, 偏好, 模式, 規約, ルール,
    ベストプラクティス, 컨벤션, 규칙, 모범 사례, convención, convenciones, regla, reglas, règle, règles,
    bonne pratique, bonnes pratiques, соглашение, правило, правила, угода
gotcha:
    gotcha, gotchas, pitfall, pitfalls, trap, traps, caveat, caveats, warning, warnings, quirk, quirks,
    footgun, knowledge gap, knowledge, investigation, 坑, 踩坑, 陷阱, 注意事项, 注意, 落とし穴,
    ハマりどころ, 注意点, 함정, 주의사항, 주의, trampa, trampas, piège, pièges, ловушка, ловушки,
    подводные камни, пастка, пастки
decision:
    decision, decisions, adr, decision log, architecture decision, design decision, 决策, 決策, 决定,
    決定, 設計判断, 결정, 결정 사항, decisión, decisiones, décision, décisions, решение, решения,
    рішення
"""

_SEVERITIES = """
critical:
    critical, blocker, urgent, p0, 严重, 嚴重, 紧急, 緊急, 致命, 重大, 심각, 치명적, 긴급, crítica,
    crítico, critique, критический, критично, критичний, kritisch
important:
    important, high, medium, moderate, major, p1, p2, 高, 中, 重要, 中等, 较高, 높음, 중간, 보통, 중요,
    alta, alto, media, medio, haute, élevée, élevé, moyenne, moyen, высокий, высокая, средний, средняя,
    важно, високий, висока, середній, середня, hoch, mittel
info:
    info, low, minor, trivial, p3, p4, 低, 较低, 一般, 轻微, 軽微, 낮음, 경미, baja, bajo, menor, basse,
    faible, mineure, mineur, низкий, низкая, низький, низька, niedrig
"""

_OVER = """
    resolved, fixed, done, closed, completed, complete, solved, obsolete, outdated, superseded,
    deprecated, rejected, retired, archived, invalid, wont fix, won't fix, wontfix, replaced, revoked,
    reversed, 已解决, 已解決, 已修复, 已修復, 已完成, 完成, 已关闭, 已废弃, 废弃, 已過時, 过时, 已过时,
    解決済み, 解決済, 修正済み, 対応済み, 完了, 廃止, 해결됨, 해결, 해결 완료, 완료, 수정됨, 폐기,
    폐기됨, resuelto, resuelta, cerrado, cerrada, corregido, corregida, obsoleto, obsoleta, rechazado,
    rechazada, résolu, résolue, corrigé, corrigée, fermé, obsolète, rejeté, rejetée, решено, решена,
    исправлено, закрыто, устарело, отклонено, вирішено, виправлено, закрито, застаріло, відхилено,
    erledigt, behoben
"""
_LIVE = """
    propuesto, propuesta, proposé, proposée, предложено, 제안, 제안됨, 승인됨, 提案, 提议中, 採択, 承認済み,
    open, active, pending, in progress, accepted, proposed, new, monitoring, current, valid, draft, todo,
    待处理, 待處理, 进行中, 未解决, 未解決, 未対応, 対応中, 有效, 活跃, 已接受, 미해결, 진행 중, 진행중,
    대기, 활성, abierto, abierta, pendiente, activo, activa, aceptado, aceptada, ouvert,
    ouverte, en cours, actif, accepté, acceptée, открыто, открыта, активно, в работе, принято, відкрито,
    в роботі, прийнято, offen
"""

# Headings of what explains the file and is no lesson.
_ABOUT_FILE = """
    format, entry format, lesson format, template, entry template, lesson template, templates, example,
    example entry, how to use, how to use this file, how this file works, usage, instructions, legend,
    table of contents, contents, toc, index, purpose, about, governance, about this file, schema, categories,
    when to add, how to add, 格式, 条目格式, 模板, 模版, 使用说明, 目录, フォーマット, テンプレート,
    使い方, 目次, 형식, 템플릿, 양식, 사용법, 목차, formato, plantilla, cómo usar, índice, modèle,
    mode d'emploi, sommaire, формат, шаблон, как использовать, содержание, як користуватися, зміст
"""

# Headings under which lessons stand, and which are none themselves.
_GROUPS = """
    lessons, learnings, gotchas, mistakes, errors, notes, patterns, conventions, decisions, rules, tips,
    insights, log, entries, general, misc, other, active, archive, archived, key learnings,
    lessons learned, common mistakes, known issues, best practices, preferences, pitfalls, corrections,
    history, recent, backend, frontend, testing, workflow, tooling, infrastructure, database, security,
    performance, ci, git, 经验教训, 教训, 经验, 错误, 坑, 规则, 约定, 记录, 教訓, 学び, ルール, ミス,
    記録, 교훈, 실수, 규칙, 기록, 함정, lecciones, errores, reglas, leçons, erreurs, règles, уроки,
    ошибки, правила, помилки
"""


_NONE = re.compile(
    r"(?:no|none|nothing|nada|ningun[oa]?|aucune?|rien|нет|пока|немає|поки|ще|暂无|尚无|还没有|まだ|아직)(?![a-z])"
)
_YET = re.compile(
    r"\b(?:yet|so far|recorded|todavía|aún|encore|pour l'instant|пока|поки|ще)\b|暂无|尚无|还没有|まだ|아직"
)
_REPLACED = re.compile(r"取代|替代|代替|置き換え|대체")


def words(block: str) -> frozenset[str]:
    """The words of a list with commas between them."""
    return frozenset(" ".join(word.split()) for word in block.split(",") if word.strip())


def _table(text: str) -> dict[str, str]:
    """Words to the name they stand under; of a word that stands under two, the first counts."""
    pieces = re.split(r"^([a-z]+):\n", text, flags=re.MULTILINE)[1:]
    groups = list(zip(pieces[::2], pieces[1::2], strict=True))
    return {word: name for name, block in reversed(groups) for word in words(block)}


_ROLE = _table(_WORDS)
_TYPE = _table(_TYPES)
_SEVERITY = _table(_SEVERITIES)
_IS_OVER = words(_OVER)
_IS_LIVE = words(_LIVE)
_IS_ABOUT = words(_ABOUT_FILE)
_IS_GROUP = words(_GROUPS) | frozenset(_TYPE)

_DAY = re.compile(
    r"(?P<y>[0-9]{4})(?:-(?P<m>[0-9]{2})-(?P<d>[0-9]{2})|/(?P<m2>[0-9]{1,2})/(?P<d2>[0-9]{1,2})"
    r"|\.(?P<m3>[0-9]{2})\.(?P<d3>[0-9]{2})|[年년] ?(?P<m4>[0-9]{1,2})[月월] ?(?P<d4>[0-9]{1,2})[日일])"
    r"(?:[T ](?P<time>[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:\.[0-9]+)?"
    r"[ ]?(?P<zone>Z|UTC|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_MONTH_NAMES = (
    "january jan,february feb,march mar,april apr,may,june jun,july jul,august aug,september sep sept,"
    "october oct,november nov,december dec"
)
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES.split(","), 1) for name in names.split()}
_ORDINAL = r"[0-9]{1,2}(?:st|nd|rd|th)?"
_ENGLISH_DAY = re.compile(
    rf"(?:(?P<d>{_ORDINAL}) (?P<m>[a-z]{{3,9}})\.?|(?P<m2>[a-z]{{3,9}})\.? (?P<d2>{_ORDINAL})),?"
    r" (?P<y>[0-9]{4})"
)
_GERMAN_DAY = re.compile(r"(?P<d>[0-9]{1,2})\.(?P<m>[0-9]{1,2})\.(?P<y>[0-9]{4})")
_RATIO = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,4})?) ?/ ?(10|100|1|5)\Z")
_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,4})?) ?%\Z")


def fold(text: str) -> str:
    """Bring a label or a word of a value into the form in which it is compared."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = re.sub(r"\([^()]*\)\Z", "", text.strip())
    text = re.sub(r"[*_`~\[\]]+", " ", text)
    text = re.sub(r"\A[^\w]+|[^\w]+\Z", "", text)
    return " ".join(text.split())


def role(label: str) -> str:
    """What a label names: one of the keys of this module's table, "" where it is not known."""
    folded = fold(label)
    return _ROLE.get(folded) or _ROLE.get(folded.replace("_", " "), "")


def type_of(word: str) -> str:
    """The type of learning that a word means, "" for none."""
    return _TYPE.get(_spaced(word), "")


def severity_of(word: str) -> str:
    """The severity that a word means (high and medium: important; low and minor: info), "" for none."""
    return _SEVERITY.get(_spaced(word), "")


def category_of(word: str) -> str:
    """The word itself where it is one of the categories of session learning, else ""."""
    folded = fold(word)
    return folded if folded in CATEGORIES else ""


def is_status(text: str) -> bool:
    """Whether a text is a status and nothing more."""
    folded = _spaced(text)
    return folded in _IS_OVER or folded in _IS_LIVE


def is_over(status: str) -> bool | None:
    """Whether a status, or the first word of it, says that its subject is settled; None for neither."""
    folded = _spaced(status)
    if folded in _IS_OVER:
        return True
    if folded in _IS_LIVE:
        return False
    start = re.match(r"[^\W\d_]+(?:['’ ]t fix)?", folded)
    return True if (start and start[0] in _IS_OVER) or _REPLACED.search(folded) else None


def is_about_file(title: str) -> bool:
    """Whether a heading is that of a format description, a template or a table of contents."""
    folded = fold(title).rstrip(":")
    return folded in _IS_ABOUT or folded.endswith((" template", " format"))


def says_nothing(text: str) -> bool:
    """Whether a text only says that there are no entries yet, as the first version of a file does."""
    text = text.strip()
    if re.fullmatch(r"[_*]{0,2}\([^()\n]*\)[_*]{0,2}|([_*]{1,2})[^_*\n]{1,60}\1", text):
        return True
    folded = fold(text)
    return "\n" not in text and len(folded) <= 60 and bool(_NONE.match(folded) and _YET.search(folded))


def is_group(title: str) -> bool:
    """Whether a heading is of the kind under which entries stand, and is none itself."""
    return fold(title) in _IS_GROUP


def day_of(text: str) -> str:
    """Read a whole text as a day, however it is written, and write it as YYYY-MM-DD; "" where it is none.

    With a time and a zone it is the UTC day. Days that two countries read differently (02/03/2026) are none.
    """
    text = text.strip().strip("*_`[]()").strip()
    if found := _DAY.fullmatch(text):
        return _iso(found, found["time"] or "", found["zone"] or "")
    folded = text.casefold()
    if found := _ENGLISH_DAY.fullmatch(folded):
        month = _MONTHS.get(found["m"] or found["m2"], 0)
        return _real(int(found["y"]), month, int((found["d"] or found["d2"]).rstrip("stndrh")))
    if found := _GERMAN_DAY.fullmatch(text):
        return _real(int(found["y"]), int(found["m"]), int(found["d"]))
    return ""


def leading_day(text: str) -> tuple[str, str]:
    """Split a day off the start of a text: the day and the rest; "" and the whole if there is none."""
    found = re.match(rf"[\[(]?(?:{_DAY.pattern})[\])]?(?![\w/.-]*[0-9])[ \t]*(?:[-–—:：|,·•]+[ \t]*)?", text)
    if found and (day := _iso(found, found["time"] or "", found["zone"] or "")):
        return day, text[found.end() :]
    return "", text


def trailing_day(text: str) -> tuple[str, str]:
    """Split a day in brackets, or behind a dash, off the end of a text."""
    found = re.search(rf"(?:[ \t]*[\[(]|[ \t]+[-–—|][ \t]+)(?:{_DAY.pattern})[\])]?[ \t]*\Z", text)
    if found and (day := _iso(found, found["time"] or "", found["zone"] or "")):
        return day, text[: found.start()]
    return "", text


def confidence_of(text: str) -> str:
    """Read a confidence (0.8, 8/10, 80 %) and write it as 0.00-1.00; "" where it is none."""
    text = text.strip().strip("*_`").strip()
    if found := _RATIO.match(text):
        value = float(found[1]) / float(found[2])
    elif found := _PERCENT.match(text):
        value = float(found[1]) / 100
    elif re.fullmatch(r"[01](?:\.[0-9]{1,4})?|\.[0-9]{1,4}", text):
        value = float(text)
    else:
        return ""
    return f"{value:.2f}" if 0 <= value <= 1 else ""


def _spaced(word: str) -> str:
    return fold(word).replace("_", " ").replace("in-progress", "in progress")


def _iso(found: re.Match[str], time: str, zone: str) -> str:
    year = int(found["y"])
    month, day = (
        int(found[name] or found[f"{name}2"] or found[f"{name}3"] or found[f"{name}4"]) for name in "md"
    )
    iso = _real(year, month, day)
    if iso and zone and zone not in ("Z", "UTC"):
        offset = dt.timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:])) * (-1 if zone[0] == "-" else 1)
        moment = dt.datetime.combine(dt.date.fromisoformat(iso), dt.time.fromisoformat(time))
        try:
            return (moment - offset).date().isoformat()
        except OverflowError:
            return iso
    return iso


def _real(year: int, month: int, day: int) -> str:
    iso = f"{year:04d}-{month:02d}-{day:02d}"
    return iso if parse_day(iso) else ""
