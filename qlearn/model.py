"""A program that answers a prompt: on its standard input, with an answer on its standard output.

It is one the user names, run without a shell and in a process group of its own, so that nothing of it
outlives its time. It is told not to observe, since it may be a client with hooks of ours.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import threading
from typing import TYPE_CHECKING

from qlearn.errors import QlearnError
from qlearn.text import clip, neutralise

if TYPE_CHECKING:
    from collections.abc import Mapping

TIMEOUT_SECONDS = 180.0
LARGEST_ANSWER = 1 << 20


class ModelError(QlearnError):
    """The program could not be run, failed, took too long or said too much."""


def ask(command: str, prompt: str, environ: Mapping[str, str], *, timeout: float = TIMEOUT_SECONDS) -> str:
    """Run a command on a prompt and return what it prints.

    Args:
        command: Words as a shell would split them; no shell is run.
        timeout: In seconds; then the program and what it started are killed.

    Raises:
        ModelError: It can't be started, ends with another code than 0, takes longer than *timeout*, or
            prints more than 1 MiB or something that is not UTF-8.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ModelError(f"the model command can't be split into words: {error}") from None
    if not words:
        raise ModelError(
            "no model command is given; --model-command or model_command in your settings names it"
        )
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**environ, "QLEARN_OBSERVE": "0"},
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise ModelError(f"the model command {words[0]!r} can't be started: {error}") from None
    answer, complaint = _talk(process, prompt.encode("utf-8", "replace"), timeout)
    if process.returncode:
        why = clip(neutralise(complaint.decode("utf-8", "replace").strip()), 200)
        raise ModelError(f"the model command ended with {process.returncode}: {why or 'it said nothing'}")
    try:
        return answer.decode("utf-8")
    except UnicodeDecodeError:
        raise ModelError("the model command printed something that is not UTF-8") from None


def _talk(process: subprocess.Popen[bytes], prompt: bytes, timeout: float) -> tuple[bytes, bytes]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    complaint: list[bytes] = []

    def write() -> None:
        with contextlib.suppress(OSError), stdin:
            stdin.write(prompt)

    def drain() -> None:
        with contextlib.suppress(OSError, ValueError):
            while chunk := stderr.read(1 << 12):
                if len(complaint) < 16:
                    complaint.append(chunk)

    threads = [threading.Thread(target=each, daemon=True) for each in (write, drain)]
    expired = threading.Event()

    def expire() -> None:
        expired.set()
        _kill(process)

    timer = threading.Timer(timeout, expire)
    try:
        for each in (*threads, timer):
            each.start()
        answer = stdout.read(LARGEST_ANSWER + 1)
        if len(answer) > LARGEST_ANSWER:
            raise ModelError(f"the model command printed more than {LARGEST_ANSWER} bytes")
        process.wait()
        if expired.is_set():
            raise ModelError(f"the model command took longer than {timeout:g} s")
    finally:
        timer.cancel()
        _kill(process)
        process.wait()
        for each in threads:
            each.join(1)
        stdout.close()
        stderr.close()
    return answer, b"".join(complaint)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the program and what it started, also where it has ended itself."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
