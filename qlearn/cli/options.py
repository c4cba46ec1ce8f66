"""The options and arguments that several commands share."""

from typing import Annotated, Literal

import typer

from qlearn.cli.completing import learning_ids

Type = Literal["mistake", "convention", "gotcha", "decision"]
Severity = Literal["critical", "important", "info"]
Category = Literal["errors", "workflows", "tools", "architecture", "debugging"]

EACH_TYPE = "mistake, convention, gotcha or decision"
EACH_SEVERITY = "critical, important or info"
EACH_CATEGORY = "errors, workflows, tools, architecture or debugging"


def number(value: float) -> float:
    """Refuse NaN, which lies in every range.

    Raises:
        typer.BadParameter: It is that.
    """
    if value != value:
        raise typer.BadParameter("'nan' is no number")
    return value


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
All = Annotated[bool, typer.Option("--all", "-a", help="Also those that are resolved.")]
OfType = Annotated[
    Type | None, typer.Option("--type", "-t", metavar="TYPE", help=f"Only one type: {EACH_TYPE}.")
]
OfSeverity = Annotated[
    Severity | None,
    typer.Option("--severity", "-s", metavar="SEVERITY", help=f"Only one severity: {EACH_SEVERITY}."),
]
OfCategory = Annotated[
    Category | None,
    typer.Option("--category", metavar="CATEGORY", help=f"Only one category: {EACH_CATEGORY}."),
]
Id = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="Such as L012; 12 will do.", show_default=False, autocompletion=learning_ids
    ),
]
Ids = Annotated[
    list[str],
    typer.Argument(
        metavar="ID...", help="Such as L012; 12 will do.", show_default=False, autocompletion=learning_ids
    ),
]
