"""Tools that do the same job, and the jobs that commands do: what a person chooses between."""

from __future__ import annotations

from functools import lru_cache

from qlearn.command import parse
from qlearn.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from qlearn.observation import Observation

# One job a line. The first of a line is what agents take unasked;
CLASSES: tuple[tuple[str, ...], ...] = (
    ("npm", "pnpm", "yarn", "bun", "deno"),
    ("pip", "uv", "poetry", "pdm", "pipenv", "conda", "rye", "hatch"),
    ("grep", "rg", "ag", "ack"),
    ("find", "fd"),
    ("jest", "vitest", "mocha", "ava"),
    ("unittest", "pytest", "nose2"),
    ("docker", "podman", "nerdctl"),
    ("black", "yapf", "autopep8"),
    ("flake8", "ruff", "pylint"),
    ("eslint", "biome", "oxlint"),
    ("make", "just", "task"),
    ("curl", "http", "wget"),
    ("sqlite3", "psql", "mysql", "mongosh", "duckdb"),
    ("golint", "golangci-lint", "staticcheck"),
    ("gofmt", "goimports", "gofumpt"),
    ("mvn", "gradle", "gradlew"),
    ("terraform", "tofu", "pulumi"),
    ("nvm", "fnm", "volta"),
    ("cypress", "playwright"),
    ("cat", "bat"),
    ("mypy", "pyright"),
)
CLASS_OF = {name: names for names in CLASSES for name in names}
DEFAULTS = frozenset(names[0] for names in CLASSES)
# Other names that people use.
SPOKEN = {
    "ripgrep": "rg",
    "httpie": "http",
    "postgres": "psql",
    "sqlite": "sqlite3",
    "podman-compose": "podman",
}
# What a lockfile in the project's root already says.
LOCKFILES = {
    "package-lock.json": "npm",
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lockb": "bun",
    "bun.lock": "bun",
    "deno.lock": "deno",
    "uv.lock": "uv",
    "poetry.lock": "poetry",
    "pdm.lock": "pdm",
    "Pipfile.lock": "pipenv",
    "biome.json": "biome",
    "justfile": "just",
    "gradlew": "gradlew",
}

# Jobs that have more than one command: a key that starts so does the job.
JOBS: dict[str, tuple[str, ...]] = {
    "test": (
        *(
            "pytest",
            "unittest",
            "jest",
            "vitest",
            "mocha",
            "npm test",
            "npm run test",
            "pnpm test",
            "yarn test",
        ),
        *(
            "bun test",
            "go test",
            "cargo test",
            "make test",
            "make check",
            "just test",
            "mvn test",
            "gradlew test",
        ),
        *("rspec", "manage.py test", "nox", "tox", "deno test"),
    ),
    "lint": (
        "eslint",
        "ruff check",
        "flake8",
        "golint",
        "golangci-lint",
        "make lint",
        "npm run lint",
        "pnpm lint",
    ),
    "format": (
        "black",
        "prettier",
        "gofmt",
        "goimports",
        "ruff format",
        "pnpm fmt",
        "npm run format",
        "npm run fmt",
        "make fmt",
        "make format",
        "pnpm format",
    ),
    "typecheck": ("tsc", "mypy", "pyright", "vue-tsc"),
    "commit": ("git commit",),
    "push": ("git push", "git merge", "git rebase"),
    "branch": ("git switch", "git checkout", "git branch"),
    "migration": (
        "alembic",
        "manage.py makemigrations",
        "manage.py migrate",
        "make migration",
        "prisma migrate",
    ),
    "dependency": (
        *("npm install", "npm i", "npm ci", "pnpm add", "pnpm install", "yarn add", "bun add", "bun install"),
        *(
            "pip install",
            "uv add",
            "uv pip",
            "uv sync",
            "poetry add",
            "poetry install",
            "cargo add",
            "go get",
        ),
    ),
    "image": ("docker build", "podman build", "docker push", "podman push"),
    "deploy": ("kubectl", "helm", "terraform apply", "make deploy", "fly deploy", "vercel"),
    "generated": ("make gen", "make proto", "go generate", "buf generate", "protoc"),
    "search": ("grep", "rg", "ag", "ack"),
}


def job_of(key: str) -> str:
    """The job that a canonical command does; empty if it is none of `JOBS`."""
    for job, starts in JOBS.items():
        for start in starts:
            if key == start or key.startswith(start + " "):
                return job
    return ""


def tools_of(call: Observation) -> frozenset[str]:
    """The names of `CLASSES` that a shell call uses, wrappers such as `uv run` included."""
    return tools_in_command(call.input) if call.tool == "Bash" else frozenset()


@lru_cache(maxsize=4096)
def tools_in_command(text: str) -> frozenset[str]:
    """The names of `CLASSES` that a shell text uses."""
    found: set[str] = set()
    for command in parse(text):
        names = [command.program, *(wrapper.split()[0] for wrapper in command.wrappers)]
        found.update(name for name in names if name in CLASS_OF)
    return frozenset(found)


def contrast(named: Iterable[str], used: Iterable[str]) -> tuple[str, str] | None:
    """A tool that is named, and another of its class that was used instead."""
    have = set(used)
    for name in named:
        for other in CLASS_OF.get(name, ()):
            if other != name and other in have and name not in have:
                return name, other
    return None
