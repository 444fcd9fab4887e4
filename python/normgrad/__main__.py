"""The console script `normgrad`, and `python -m normgrad`."""

import signal
import sys


def main() -> int:
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        # Ctrl-C while modules are loaded ends the process, without a traceback from within them.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from normgrad import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
