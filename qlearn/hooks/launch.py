"""Start the hook from wherever this folder lies, with nothing installed and nothing inherited.

Run as `python -I -S .../qlearn/hooks/launch.py`: no site packages, no PYTHONPATH, no modules of the folder
that the client happens to be in. Its syntax is old on purpose, since it may be any Python that is called.
"""

import os
import sys

if __name__ == "__main__":
    here = os.path.abspath(__file__)
    if sys.version_info >= (3, 11):
        # Behind the standard library, so that nothing beside this package can stand in for a part of it.
        sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(here))))
        if sys.argv[1:2] == ["distill"]:
            from datetime import datetime, timezone

            from qlearn.distilling import run_unasked

            run_unasked(sys.argv[2], os.environ, datetime.now(timezone.utc))
            sys.exit(0)
        from qlearn.hooks import main

        main()
    if "QLEARN_RELAUNCHED" not in os.environ:
        os.environ["QLEARN_RELAUNCHED"] = "1"
        for minor in range(20, 10, -1):
            program = "python3.%d" % minor
            try:
                os.execvp(program, [program, "-I", "-S", here])
            except OSError:
                continue
