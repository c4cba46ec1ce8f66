from __future__ import annotations

from qlearn.interchange import Draft
from qlearn.interchange.intake import take_in

REGISTRY = (
    "### L001: The shop's database listens on port 5432\n- **Learning**: Connect to port 5432.\n\n---\n"
)


def draft(title: str, learning: str) -> Draft:
    return Draft(title=title, fields={"Learning": learning})


def test_what_is_taken_in_says_what_it_resembles_and_stays_whole() -> None:
    other = draft("The shop's database listens on port 5433", "Connect to port 5433.")
    unlike = draft("Fonts", "Fonts come with a licence.")
    taken = take_in(REGISTRY, [other, unlike])
    assert [outcome.verdict for outcome in taken.outcomes] == ["added", "added"]
    assert taken.outcomes[0].reason.startswith("similar to L001, but numbers: 5433 / 5432: The shop's")
    assert taken.outcomes[1].reason == ""
