"""What the models that ship tell apart: sentiments, and parts of speech."""

from encoder.models.sentiments import SENTIMENTS as SENTIMENTS

# The 17 universal parts of speech, in alphabetical order (de Marneffe et al. 2021, table 2).
TAGS = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)
TAG_IDS = {tag: index for index, tag in enumerate(TAGS)}
VERB_LABELS = ("NON-VERB", "VERB")
