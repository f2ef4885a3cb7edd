"""The classes that our models distinguish: sentiments, and parts of speech. Needs no torch."""

SENTIMENTS = ("negative", "neutral", "positive")  # in the order of the logits

# The 17 universal parts of speech, in alphabetical order (de Marneffe et al. 2021, table 2).
TAGS = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)
TAG_IDS = {tag: index for index, tag in enumerate(TAGS)}
VERB_LABELS = ("NON-VERB", "VERB")
