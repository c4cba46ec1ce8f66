"""The command that serves a registry to clients that speak MCP."""

import typer

from qlearn.cli.terminal import interactive, note
from qlearn.errors import QlearnError

app = typer.Typer()

_OF_THE_EXTRA = ("mcp", "mcp_types", "pydantic")


@app.command("mcp", epilog="Example: qlearn mcp")
def mcp(ctx: typer.Context) -> None:
    """Serve the registry to a client that speaks MCP.

    The client starts it, and speaks to it on standard input and output. It offers relevant, search, show,
    proposals, add, reinforce and feedback. docs/clients.md tells how clients are told of it.
    """
    try:
        from qlearn.cli.mcp import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _OF_THE_EXTRA:
            raise
        raise QlearnError(
            "the MCP server needs the package 'mcp' of version 2, which is not installed here;"
            " in a checkout of qlearn, `pip install '.[mcp]'` or `uv tool install '.[mcp]'` brings it"
        ) from error
    if interactive():
        note("this waits for a client that speaks MCP; Ctrl-D ends it")
    serve(ctx.obj)
