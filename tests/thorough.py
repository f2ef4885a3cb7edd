"""Whether tests run many examples and repetitions, as in a nightly run: `HEADLIGHT_THOROUGH=1 make test`."""

import os

THOROUGH = bool(os.environ.get("HEADLIGHT_THOROUGH"))
