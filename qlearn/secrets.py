"""Secrets that announce themselves: tokens in a form that only their issuer gives out.

A registry is committed, shared and put before models, so a token has no place in it. Only named forms count:
a rule on randomness would take hashes, ids and base64 for secrets, which developer notes are full of. What a
documentation prints in place of a token (`sk-xxxx`, `AKIAIOSFODNN7EXAMPLE`) is none.

Passwords in prose or in a URL have no such form and are not found.
"""

from __future__ import annotations

import re
from functools import cache

from .record import NamedTuple


class Secret(NamedTuple):
    """A token in a text, `text[start:end]`, and the kind of it, as in "github-token"."""

    kind: str
    start: int
    end: int


# No token is shorter: text without such a run needs no further look.
_RUN = re.compile(r"[A-Za-z0-9_+/=~.-]{20}")

# A kind, words of which each token of it holds one, and the pattern that decides; its group, if any, is the
# token. A pattern is compiled when one of its words is met. Issuers lengthen tokens, so lengths are minimums.
_KINDS = (
    ("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    ("anthropic-key", "sk-ant-", r"sk-ant-[\w-]{32,}"),
    ("atlassian-token", "ATATT3", r"ATATT3[\w=-]{50,}"),
    ("aws-access-key", "AKIA ASIA", r"A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    (
        "aws-secret-key",
        "secret_access_key SECRET_ACCESS_KEY SecretAccessKey secretAccessKey",
        r"[\w-]{0,20}(?i:secret_?access_?key)[\"']?\s{0,4}[:=]\s{0,4}[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    ("azure-client-secret", "Q~", r"[\w.~-]{3}[0-9]Q~[\w.~-]{31,34}"),
    ("azure-storage-key", "AccountKey=", r"AccountKey=([A-Za-z0-9+/]{80,}={0,2})"),
    ("databricks-token", "dapi", r"dapi[0-9a-f]{32}(?![0-9a-f])"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    ("discord-webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/[\w-]{60,}"),
    ("docker-token", "dckr_", r"dckr_[po]at_[\w-]{27,}"),
    (
        "doppler-token",
        "dp.audit. dp.ct. dp.pt. dp.sa. dp.scim. dp.st.",
        r"dp\.(?:audit|ct|pt|sa|scim|st(?:\.[\w-]{2,35})?)\.[A-Za-z0-9]{40,}",
    ),
    ("figma-token", "figd_", r"figd_[\w-]{40,}"),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[opsur]_[A-Za-z0-9]{36,}"),
    ("github-token", "github_pat_", r"github_pat_\w{50,}"),
    (
        "gitlab-token",
        "glpat- glagent- glcbt- gldt- glft- gloas- glptt- glrt- glsoat-",
        r"gl(?:agent|cbt|dt|ft|oas|pat|ptt|rt|soat)-[\w-]{20,}(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?",
    ),
    ("google-api-key", "AIza", r"AIza[\w-]{35}(?![\w-])"),
    ("google-oauth", "GOCSPX- ya29.", r"(?:GOCSPX-[\w-]{28}|ya29\.[\w.-]{40,})"),
    ("grafana-token", "glsa_ glc_", r"(?:glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/]{40,}={0,2})"),
    ("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{48,}"),
    ("heroku-key", "HRKU-", r"HRKU-[\w-]{36,}"),
    ("huggingface-token", "hf_", r"hf_[A-Za-z0-9]{30,}"),
    ("jwt", "eyJ", r"eyJ[\w-]{10,400}\.eyJ[\w-]{10,}\.[\w-]{20,}"),
    ("linear-key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ("mailchimp-key", "-us", r"[0-9a-f]{32}-us[0-9]{1,2}(?![\w-])"),
    ("new-relic-key", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    ("notion-token", "ntn_", r"ntn_[A-Za-z0-9]{40,}"),
    ("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    ("openai-key", "sk-", r"sk-(?:(?:admin|proj|svcacct)-[\w-]{32,}|[A-Za-z0-9]{32,})"),
    ("openrouter-key", "sk-or-", r"sk-or-v1-[0-9a-f]{48,}"),
    ("planetscale-token", "pscale_", r"pscale_(?:oauth|pw|tkn)_[\w.=-]{32,}"),
    ("postman-key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    (
        "private-key",
        "-----BEGIN",
        (
            r"-----BEGIN[A-Z0-9 ]{0,40} PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])*+"
            r"(?:[\w-]{1,40}: [^\n]{0,200}\n\s*+){0,4}+[A-Za-z0-9+/=]{20,}+(?:\s|\\[nr]|[A-Za-z0-9+/=])*+"
            r"(?:-----END[A-Z0-9 ]{0,40} PRIVATE KEY(?: BLOCK)?-----)?"
        ),
    ),
    ("pulumi-token", "pul-", r"pul-[0-9a-f]{40}"),
    ("pypi-token", "pypi-AgE", r"pypi-AgE[\w-]{50,}"),
    ("replicate-token", "r8_", r"r8_[A-Za-z0-9]{37}"),
    ("rubygems-key", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    ("sendgrid-key", "SG.", r"SG\.[\w-]{20,24}\.[\w-]{39,50}"),
    ("sentry-token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9+/=_]{60,}"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("slack-token", "xox xapp-", r"(?:xox[abeoprs]-[A-Za-z0-9-]{20,}|xapp-[0-9]-[A-Za-z0-9-]{40,})"),
    ("slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/[a-z]+/T[A-Z0-9]+/[A-Z0-9]+/[A-Za-z0-9]{20,}"),
    ("square-token", "sq0atp- sq0csp- EAAA", r"(?:sq0(?:atp|csp)-[\w-]{22,}|EAAA[\w-]{60}(?![\w-]))"),
    ("stripe-key", "k_live_ k_test_ whsec_", r"(?:[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[\w+/=]{32,})"),
    ("supabase-key", "sbp_ sb_secret_", r"(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,})"),
    ("tailscale-key", "tskey-", r"tskey-[a-z]+-[A-Za-z0-9]{8,}-[A-Za-z0-9]{20,}"),
    ("telegram-token", ":AA", r"[0-9]{8,10}:AA[\w-]{33}(?![\w-])"),
    ("terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}"),
    ("twilio-key", "SK", r"SK[0-9a-f]{32}(?![0-9a-f])"),
    ("vault-token", "hvb. hvr. hvs.", r"hv[brs]\.[\w-]{24,}"),
    ("xai-key", "xai-", r"xai-[A-Za-z0-9]{60,}"),
)
_MARKS = tuple((mark, kind, pattern) for kind, marks, pattern in _KINDS for mark in marks.split())

# What documentation prints in a token's place. Less than one in a thousand real tokens holds any of it.
_PLACEHOLDER = (
    r"(?i:example|placeholder|redacted|change-?me|xxxx|your|dummy|sample|insert|replace)"
    r"|123456|abcdef|(.)\1{6}"
)


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Find the tokens in *text*, in order and apart from each other. Placeholders and hashes are none.

    Source: the forms that the issuers document, or that their tokens have.
    """
    if _RUN.search(text) is None:
        return ()
    met = {(kind, pattern) for mark, kind, pattern in _MARKS if mark in text}
    found = [
        Secret(kind, *match.span(match.lastindex or 0))
        for kind, pattern in met
        for match in _compiled(pattern).finditer(text)
        if not _is_placeholder(match[match.lastindex or 0])
    ]
    found.sort(key=lambda secret: (secret.start, -secret.end, secret.kind))
    apart: list[Secret] = []
    for secret in found:
        if not apart or secret.start >= apart[-1].end:
            apart.append(secret)
    return tuple(apart)


def mask(text: str) -> str:
    """Put `<secret:KIND>` in the place of each token in *text*."""
    parts: list[str] = []
    done = 0
    for secret in find_secrets(text):
        parts += text[done : secret.start], f"<secret:{secret.kind}>"
        done = secret.end
    return "".join((*parts, text[done:])) if parts else text


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9]){pattern}", re.ASCII)


def _is_placeholder(token: str) -> bool:
    # Keys in PEM hold long runs of one letter, and nobody prints a made-up one at full length.
    return not token.startswith("-----") and re.search(_PLACEHOLDER, token[:200]) is not None
