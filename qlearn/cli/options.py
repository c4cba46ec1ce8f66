"""The options and arguments that several commands share."""

from typing import Annotated, Literal

import typer

Type = Literal["mistake", "convention", "gotcha", "decision"]
Severity = Literal["critical", "important", "info"]
Category = Literal["errors", "workflows", "tools", "architecture", "debugging"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
All = Annotated[bool, typer.Option("--all", "-a", help="Also those that are resolved.")]
OfType = Annotated[Type | None, typer.Option("--type", "-t", help="Only those of this type.")]
OfSeverity = Annotated[Severity | None, typer.Option("--severity", "-s", help="Only those of this severity.")]
OfCategory = Annotated[Category | None, typer.Option("--category", help="Only those of this category.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="Such as L012; 12 will do.", show_default=False)]
Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Such as L012; 12 will do.")]
