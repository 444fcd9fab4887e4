"""`python -m normgrad` is the console script `normgrad`."""

import sys

from normgrad.cli import main

if __name__ == "__main__":
    sys.exit(main())
