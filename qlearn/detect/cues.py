"""The words by which a prompt corrects, rules, asks or takes back: English, Spanish, Korean, Chinese.

A language is read here only if benchmarks/detectors has labelled cases of it.
"""

from __future__ import annotations

import re

from qlearn.patterns import any_of, any_word

# Phrases that hold a word of correction and correct nothing.
_IDIOMS = any_word(
    r"""
    no (?:worries|problem|need|doubt|luck|thanks|thank you|rush|idea|matter|more|longer)
    no \w+ (?:is |are )?needed
    not (?:bad|now|yet|sure|quite|only)
    (?:don'?t|do not) (?:worry|forget|mind|bother|know|think|see|get)
    nothing wrong
    is it wrong
    never (?:mind|seen)
    (?:if|or|why) not
    no hay (?:problema|prisa)
    no,? gracias
    no olvides
    no te preocupes
    no necesita
    no está mal
    ahora no
    here(?:'?s| is| are| you go)
    (?:over|from) here
    follow(?:-| )?ups?
    """,
    r"""
    (?:문제|필요) ?없
    지금 말고
    (?:빼먹지|잊지) ?말
    걱정 ?하?지 ?마
    没问题
    没关系
    不错
    不用了?(?=[，。写,\s]|$)
    先别
    别(?:忘|担心)
    对不对
    是不是
    """,
)
# The agent is told off, or told what not to do.
_DIRECTIVES = any_word(
    r"""
    (?:don'?t|do not|never|stop|quit|avoid|shouldn'?t|must not|mustn'?t) \w+
    instead
    rather than
    not how
    not \w+(?=[,.;])
    no \w+ here
    no (?:git|npm|pip|yarn|make|docker|sudo|force|amend\w*)
    wrong (?:\w+ )?(?:cluster|branch|env\w*|folder|dir\w*|tool|command|profile|database|runner|manager|way)
    i (?:already |just )?(?:told|said|asked)
    (?:like|as) i said
    you forgot
    no (?:uses?|hagas|toques|edites|corras|pongas|mezcles|se \w+)
    nunca
    jamás
    en (?:vez|lugar) de
    (?:ya )?te (?:lo )?dije
    deja de
    está mal
    equivocad[oa]
    """,
    r"""
    ^no\b[,.:;!]
    ,\s*not\b
    말고
    지 ?마(?:세요|라|요)?(?=[.!\s,]|$)
    지 ?말
    대신
    면 안
    안 ?(?:돼|되)
    말했
    그랬잖
    틀렸
    不要
    别(?=[用再动改直把去在跑提写])
    不(?:能|许)
    禁止
    而不是
    不对
    错了
    说过
    改用
    应该用
    """,
)
# What is said holds beyond this once.
_STANDING = any_word(
    r"""
    always
    never
    nobody
    must
    here
    from now on
    by hand
    as in the
    only ever
    (?:each|every) (?:time|commit|push|change|test|file|branch|pr|release)
    before (?:you )?(?:commit|push|merg|releas|every|each|any)\w*
    ask (?:me )?(?:first|before)
    without asking
    (?:in|on) (?:this|our) (?:repo\w*|project|code ?base|team|machine)
    we (?:use|run|do|write|keep|pin|name|call|put|lint|test|format|deploy|don'?t|never|always|only)
    we (?:rebase|squash|merge|tag|stage|mock|generate|prefer|dropped|moved to|switched to|stick to)
    our (?:convention|rule|policy|team)
    none of our
    \w+s (?:are named|come from|branch off|start with|end with|live under|need (?:to be|a|an|the))
    \w+s here (?:only |always )?(?:work|run|need|are|go)
    (?:for|on) CI only
    conventions?
    conventional
    ha(?:ve|s) to
    follow
    go(?:es)? (?:in|into|through|to|under)
    lives? in
    belongs? in
    (?:is|are|get|gets) generated
    i (?:already|just)? ?(?:told|said)
    siempre
    nunca
    jamás
    a partir de ahora
    cada (?:vez|commit|cambio)
    en (?:este|nuestro|esta|nuestra) (?:proyecto|repo\w*|equipo|máquina)
    aquí
    usamos
    tienen? que
    hay que
    deben?
    se (?:genera|crea|corre|usa|escribe|ejecuta|lanza|prueba)n?
    va por
    a mano
    ya te (?:lo )?dije
    """,
    r"""
    항상
    앞으로
    절대
    매번
    우리 ?(?:프로젝트|팀|레포|저장소|회사)
    (?:해|돼|써|돌려)야
    야지
    야 (?:돼|해|함)
    안 되고
    씁니다
    규칙
    원칙
    생성 ?파일
    하기 전에
    말했잖
    以后
    总是
    永远
    每次
    一律
    统一
    必须
    (?:这个|本)项目
    我们(?:用|都|这|的|统一)
    应该
    要用
    要按
    放(?:在|到)
    走 ?[A-Za-z]
    都(?:是)?(?:用|要)
    生成的
    规(?:定|范|矩)
    惯例
    约定
    这台机器
    说过
    """,
)
# What is used for what, as a rule.
_FOR_A_PURPOSE = any_word(
    r"""
    for (?!this|that|it)\w+(?: \w+)?,? (?:we|you want to|always) (?:use|run)
    we (?:use|run) \S+ for (?!this|that|it)\w+
    para .{1,40} (?:usamos|se usa)
    """
)
# The choice of a tool, and no task.
_USES = any_word(
    r"""
    use
    you want
    with
    usa
    con
    """,
    r"""
    \bplease$
    (?<![가-힣])써
    으로$
    로 (?:해|돌)
    (?<![采使])用
    """,
)
_QUESTION = any_of(
    r"""
    [?？]\s*$
    ^(?:why|how|what|could|can|should|is|are|does|do|did)\b.*[?？]
    ¿
    왜\s
    为什么
    吗$
    """
)
_TAKE_BACK = any_word(
    r"""
    never ?mind
    forget (?:it|that|what i said|about it)
    ignore (?:that|what i|my)
    scratch that
    disregard
    you (?:were|are|'re) right
    my (?:mistake|bad)
    i was wrong
    (?:is|was) fine (?:then|after all|as)
    olvídalo
    olvida (?:eso|lo)
    déjalo
    da igual
    tenías razón
    no importa
    ignora eso
    """,
    r"""
    됐어
    아니다
    무시해
    취소
    내가 틀렸
    네가 맞
    算了
    当我没说
    忽略
    不用管
    你是对的
    我(?:搞|看)错
    """,
)
# A task, which may name tools without correcting anything.
_OPENING = (
    r"(?:(?:now|then|next:?|ok(?:ay)?,?|great,?|good\.?|please|also|so|and|let'?s|can you|could you) )*"
)
_TASK_VERBS = (
    r"add|write|make|fix|create|implement|run|start|switch|migrate|convert|replace|upgrade|bump|install|update|remove"
    r"|delete|rename|explain|show|read|look|find|check|undo|push|deploy|compare|try|move|rebase|put|drop|include"
    r"|merge|split|cover|see|give|tell"
)
_NOUNS_TOO = r"build|commit|format|lint|open|release|set|stop|test"
_TASK = re.compile(
    rf"(?:now|next|then|and|also)\b|{_OPENING}(?:(?:{_TASK_VERBS})\b"
    rf"|(?:{_NOUNS_TOO})(?= (?:it|this|that|the|a|all|them|up|and|with)\b|$))"
    r"|(?:agrega|añade|haz|crea|corre|ejecuta|arregla|pon|quita|borra|mira|sube|abre|cambia|actualiza|instala|prueba"
    r"|genera|publica|compila|lanza|levanta|ordena|empieza|escribe|muestra|resume|explica)\b"
    r"|.*(?:줘|줘요|주세요|하자|할까)[.!]?$"
    r"|(?:帮我|请|再|接下来|总结|看一?下|加一?[上个]|写一?[个下]|跑一?下|把.*(?:改|删|抽|写))",
    re.IGNORECASE,
)
_AGAIN = any_word(
    r"""
    again
    too
    also here
    as (?:before|always)
    same as
    otra vez
    también
    """,
    r"""
    또
    여기도
    이번에도
    마찬가지
    又
    还是
    同样
    """,
)
# What a prompt speaks about, by the jobs of `alternatives.JOBS`.
_TOPICS = {
    "commit": any_of(r"\b(?:commit|amend|co-?author)|커밋|提交"),
    "push": any_of(r"\b(?:push|pull request|PRs?\b|merge request|rebase)|푸시|推送"),
    "branch": any_of(r"\b(?:branch|ramas?\b)|브랜치|分支"),
    "test": any_of(r"\b(?:tests?|suite|pruebas?)\b|\bmock|테스트|测试"),
    "migration": any_of(r"\b(?:migrat|migraci|schema)|마이그레이션|스키마|迁移|数据库改"),
    "dependency": any_of(r"\b(?:deps?\b|dependenc|packages?\b|lockfile|paquete)|의존성|패키지|依赖"),
    "generated": any_of(r"\b(?:generated?|dist|proto)\b|\bgenera|생성|生成"),
    "lint": any_of(r"\blint|린트"),
    "format": any_of(r"\bformat|포맷|格式化"),
    "image": any_of(r"\b(?:images?\b|tag|imagen)|이미지|镜像"),
    "deploy": any_of(r"\b(?:deploy|cluster|despl[ie])|--context\b|배포|部署"),
    "search": any_of(r"\b(?:search|busca)|검색|搜索"),
}
_QUOTED = any_of(
    r"""
    ```.*?(?:```|\Z)
    \"[^\"\n]{12,}\"
    “[^”\n]{12,}”
    «[^»\n]{12,}»
    ^>[^\n]*$
    """,
    flags=re.DOTALL | re.MULTILINE,
)


def own_words(text: str) -> str:
    """The prompt without what it quotes: fences, quotations of twelve characters and more, `>` lines.

    Commands in single backticks stay.
    """
    return _QUOTED.sub(" ", text).strip()


def directive(text: str) -> bool:
    """Whether the words tell what not to do, or that something was done the wrong way."""
    return bool(_DIRECTIVES.search(_IDIOMS.sub(" ", text)))


def standing(text: str) -> bool:
    """Whether the words state a rule that holds beyond this once."""
    return bool(_STANDING.search(_IDIOMS.sub(" ", text)))


def says_use(text: str) -> bool:
    """Whether the words choose a tool: `use X`, `X please`."""
    return bool(_USES.search(text))


def for_a_purpose(text: str) -> bool:
    """Whether the words say what is used for what: `for the docs we use mkdocs`."""
    return bool(_FOR_A_PURPOSE.search(text))


def asks(text: str) -> bool:
    """Whether it is a question."""
    return bool(_QUESTION.search(text))


def takes_back(text: str) -> bool:
    """Whether the words take back what was said before."""
    return bool(_TAKE_BACK.search(text))


def is_task(text: str) -> bool:
    """Whether it begins like a task, and doesn't tell what not to do."""
    return bool(_TASK.match(text)) and not directive(text)


def says_again(text: str) -> bool:
    """Whether the words recall that they were said before."""
    return bool(_AGAIN.search(text))


def topics(text: str) -> frozenset[str]:
    """The jobs that a text speaks about."""
    return frozenset(job for job, pattern in _TOPICS.items() if pattern.search(text))
