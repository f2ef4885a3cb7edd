"""`python -m encoder.measures.senses FILE --model NAME`: a command, kept where people know it."""

import sys

from encoder.experiments.senses.evaluate import main

sys.exit(main())
