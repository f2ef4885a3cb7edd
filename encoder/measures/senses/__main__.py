"""`python -m encoder.measures.senses FILE --model NAME`, the documented name of the command."""

import sys

from encoder.experiments.senses.evaluate import main

sys.exit(main())
