"""Found by every Python process of a profiled run when it starts: samples its stacks, those of forked workers too.

A thread looks at all stacks every few milliseconds. Counts go to a file once a second: workers end without notice.
"""

import json
import os
import sys
import threading
import time
from collections import Counter
from pathlib import Path

INTERVAL, FLUSH, DEEPEST = 0.005, 1.0, 60


def _stack(frame):
    parts = []
    while frame is not None and len(parts) < DEEPEST:
        code = frame.f_code
        parts.append(f"{code.co_filename}:{code.co_name}:{frame.f_lineno}")
        frame = frame.f_back
    return ";".join(reversed(parts))


def _sample(folder):
    own, counts, flushed = threading.get_ident(), Counter(), time.monotonic()
    while True:
        time.sleep(INTERVAL)
        for thread, frame in sys._current_frames().items():
            if thread != own:
                counts[_stack(frame)] += 1
        if time.monotonic() - flushed > FLUSH:
            flushed = time.monotonic()
            if not Path(folder).is_dir():  # the run is over, and its folder gone
                return
            path = Path(folder, f"{os.getpid()}.json")
            whole = path.with_suffix(".new")
            whole.write_text(json.dumps({"cpu": time.process_time(), "stacks": counts}))
            whole.replace(path)


def _begin():
    threading.Thread(target=_sample, args=(os.environ["VELO_BENCH_SAMPLES"],), daemon=True).start()


if "VELO_BENCH_SAMPLES" in os.environ:
    os.register_at_fork(after_in_child=_begin)
    _begin()
