"""`python -m viz.tours check FILE... [--model NAME]`: which claims of tours hold, each with its number."""

import sys

from viz.claims.check import main

sys.exit(main())
