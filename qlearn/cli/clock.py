"""The clock, read once a command and passed down from there."""

from datetime import UTC, datetime


def now() -> datetime:
    """The current time."""
    return datetime.now(UTC)
