"""The console script `normgrad`, and `python -m normgrad`."""

import os
import signal
import sys


def main() -> int:
    """Runs the command line; closed output streams are as good as /dev/null."""
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        # Ctrl-C while modules are loaded ends the process, without a traceback from within them.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from normgrad import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
