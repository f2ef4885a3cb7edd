"""`python -m viz.slides TOUR FILE [--model NAME]`: write a tour as slides, an HTML file that needs no Python."""

import sys

from viz.slides.command import main

sys.exit(main())
