"""Heads of checkpoints that are not used: Headlight runs heads for the classes of a text, and encoders without one."""

from __future__ import annotations

from collections.abc import Iterable

# What a class of `transformers` is for, by how its name ends; longer endings first.
TASKS = {
    "ForTokenClassification": "for token classification",
    "ForQuestionAnswering": "for question answering",
    "ForMultipleChoice": "for multiple choice",
    "ForNextSentencePrediction": "for next-sentence prediction",
    "ElectraForPreTraining": "for finding replaced tokens",
    "ForPreTraining": "for pretraining",
    "ForMaskedLM": "for masked words",
    "WithLMHeadModel": "for masked words",
    "ForCausalLM": "for the next token",
    "LMHeadModel": "for the next token",
    "ForConditionalGeneration": "for the next token",
    "ForSequenceClassification": "for the classes of a text",
}
UNUSED = "The checkpoint's head"


def unused_head(architectures: Iterable[str] | None, used: str) -> str:
    """A note on the head of a checkpoint that its model was opened without, or "".

    Args:
        architectures: the classes that its config.json names.
        used: the class that it was opened as.
    """
    for name in architectures or ():
        task = next((task for ending, task in TASKS.items() if name.endswith(ending)), None)
        if task and name != used and name.isidentifier():
            return f"{UNUSED} {task} ({name}) is not used here: what is shown is its encoder."
    return ""
