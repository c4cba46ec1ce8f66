"""Start the hook from wherever this folder lies, with nothing installed and nothing inherited.

Run as `python -I -S .../qlearn/hooks/launch.py`: no site packages, no PYTHONPATH, no modules of the folder
that the client happens to be in. Its syntax is old on purpose, since it may be any Python that is called.
"""

import os
import sys


def newer():
    """Name the programs that may be a Python that is new enough."""
    for minor in range(20, 10, -1):
        yield "python3.%d" % minor


if __name__ == "__main__":
    if sys.version_info >= (3, 11):
        sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
        from qlearn.hooks import main

        main()
    if "QLEARN_RELAUNCHED" not in os.environ:
        os.environ["QLEARN_RELAUNCHED"] = "1"
        for program in newer():
            try:
                os.execvp(program, [program, "-I", "-S", os.path.abspath(__file__)])
            except OSError:
                continue
