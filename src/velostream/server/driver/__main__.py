"""`python -m velostream.server.driver FOLDER`: how a control plane starts a driver."""

import sys
from pathlib import Path

from velostream.server.driver.run import main

if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
