"""`python -m viz.site build --out FOLDER`: write a page that needs no server of its own."""

import sys

from viz.site.command import main

sys.exit(main())
