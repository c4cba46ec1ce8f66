"""`python -m qlearn`: the program, where its script is not on the PATH."""

import sys

from qlearn.cli import main

sys.exit(main())
