"""The walk's last steps: residual and layer norm, feed-forward, the other layers, the prediction, and two asides."""

from __future__ import annotations

import numpy as np

from encoder.experiments.anatomy.readout import readout
from encoder.experiments.anatomy.record import Record
from encoder.experiments.anatomy.sizes import sizes_of as count_parameters
from encoder.experiments.anatomy.steps import Shown, Step, by, lines, sizes_of
from encoder.experiments.anatomy.what_if import changed, pre_norm
from encoder.measures.cost import crossings, operations
from encoder.models.scratch import ScratchBackend
from encoder.trace import FloatArray
from encoder.transformer.encoder import Encoder, EncoderLayer, FeedForward


def residual(backend: ScratchBackend, record: Record, head: int) -> Step:
    """Residual connection and layer norm, post and pre."""
    s = sizes_of(record)
    normed_first, not_normed = pre_norm(backend.encoder, record)
    return Step(
        key="residual",
        text=(
            "Attention does not replace a token's vector, it **adds** to it: X + O. This **residual connection** keeps "
            "the word in sight and lets a tall stack of layers learn, because each only has to learn a correction. "
            "Then a **layer norm**, as after the embeddings, brings each token's numbers back to one size. BERT norms "
            "behind the sum (post-norm). Most newer models norm in front of attention (pre-norm) and leave the sum as "
            "it is; the last row of pictures shows that with this layer's weights, which were not trained for it."
        ),
        formula=lines(
            rf"\text{{post-norm: }} {by(s.T, s.D)}{{X'}} = \text{{LayerNorm}}\big({by(s.T, s.D)}{{X}} + "
            r"\text{Attention}(X)\big)",
            r"\text{pre-norm: } X' = X + \text{Attention}(\text{LayerNorm}(X))",
        ),
        tensors=(
            (
                Shown(name="X: what went into the layer", array=record.layer_input),
                Shown(name="O: attention output", array=record.attended),
            ),
            (
                Shown(name="X + O: the sum", array=record.attention_sum),
                Shown(name="X': after layer norm", array=record.attention_normed),
            ),
            (
                Shown(name="pre-norm: LayerNorm(X)", array=normed_first, aside=True),
                Shown(name="pre-norm: X + Attention(LayerNorm(X))", array=not_normed, aside=True),
            ),
        ),
        sources=(EncoderLayer,),
        opens="X': after layer norm",
    )


def feed_forward(backend: ScratchBackend, record: Record, head: int) -> Step:
    """The feed-forward network and the layer's end."""
    s = sizes_of(record)
    name = "GELU" if record.config.hidden_act == "gelu" else "ReLU"
    return Step(
        key="feed-forward",
        text=(
            f"Each token is now worked on **alone**: a learned matrix makes {s.F} numbers of its {s.D}, the units; a "
            f"function, here {name}, decides how much of each unit passes; and a second matrix makes {s.D} numbers of "
            "the units again. Without the function between them, two matrices would do no more than one. ReLU sets "
            "every unit below 0 to 0; GELU does nearly the same with a smooth bend, and lets a little of the slightly "
            "negative ones through. The result is added to the token's vector and normed again: the layer is done."
        ),
        formula=(
            rf"{by(s.T, s.D)}{{Y}} = \text{{LayerNorm}}\Big(X' + {by(s.T, s.F)}{{\text{{{name}}}\big(}}X'\,"
            rf"{by(s.D, s.F)}{{W_1}} + b_1\big)\,{by(s.F, s.D)}{{W_2}} + b_2\Big)"
        ),
        tensors=(
            (
                Shown(name="X': what goes in", array=record.attention_normed),
                Shown(name="units before the activation", array=record.inner, columns="unit"),
            ),
            (
                Shown(name=f"units after {name}", array=record.activated, columns="unit"),
                Shown(name="after ReLU, beside it", array=np.maximum(record.inner, 0), columns="unit", aside=True),
            ),
            (
                Shown(name="what the second matrix adds", array=record.fed),
                Shown(name=f"Y: what leaves layer {record.layer}", array=record.layer_output),
            ),
        ),
        sources=(FeedForward,),
        opens=f"units after {name}",
    )


def layers(backend: ScratchBackend, record: Record, head: int) -> Step:
    """The states after every layer."""
    s = sizes_of(record)
    is_last = record.layer == s.L - 1
    shown = [Shown(name=f"X after layer {record.layer}{', the last' if is_last else ''}", array=record.layer_output)]
    if not is_last:
        shown.append(Shown(name=f"X after layer {s.L - 1}, the last", array=record.hidden_states[-1]))
    return Step(
        key="layers",
        text=(
            f"That was layer {record.layer}. The model has {s.L} of them, alike in build and different in their "
            "learned numbers, and each starts from what the one before it left. Layer by layer a token's vector takes "
            "up more of the text around it. Choose another layer on the left, and every step of this walk shows that "
            "one, and works out its numbers."
        ),
        formula=(
            rf"{by(s.T, s.D)}{{X_0}} \;\to\; X_1 = \text{{Layer}}_0(X_0) \;\to\; \dots \;\to\; "
            rf"{by(s.T, s.D)}{{X_{{{s.L}}}}} = \text{{Layer}}_{{{s.L - 1}}}(X_{{{s.L - 1}}})"
        ),
        tensors=(tuple(shown),),
        sources=(Encoder.forward,),
        opens=shown[0].name,
    )


def states_of_token(record: Record, row: int) -> FloatArray:
    """(L + 1, D) one token's state after the embeddings and after every layer."""
    return np.stack([state[row] for state in record.hidden_states])


def prediction(backend: ScratchBackend, record: Record, head: int) -> Step:
    """A head's logits, probabilities and score."""
    read = readout(backend, record)
    width, classes = len(read.state), len(read.prediction.labels)
    squashed = (
        r", which the sigmoid function $\sigma(z) = 1 / (1 + e^{-z})$ puts between 0 and 1" if read.squashed else ""
    )
    score = r"\sigma(h \cdot w + b)" if read.squashed else r"h \cdot w + b"
    which = (
        "`[CLS]` stands for no word; through the layers it has collected from all tokens what is needed here. "
        if len(read.state) == record.config.hidden_size
        else ""
    )
    return Step(
        key="prediction",
        text=(
            "What the encoder made is now read by one more small learned matrix, a **classification head** (it has "
            f"nothing to do with the heads of attention). It reads {read.reads}, {width:,} numbers in all. {which}It "
            f"makes one number per class, the **logit**, and softmax turns the {classes} logits into probabilities, "
            "just as it turned scores into weights. A **regression head** does the same for a single number, here how "
            f"positive the text is{squashed}."
        ),
        formula=(
            rf"p = \text{{softmax}}\big({by(1, width)}{{h}}\;{by(width, classes)}{{W}} + b\big) \qquad "
            rf"\text{{score}} = {score}"
        ),
        sources=read.sources,
    )


def what_if(backend: ScratchBackend, record: Record, head: int) -> Step:
    """What becomes of the attention when something is otherwise."""
    s = sizes_of(record)
    return Step(
        key="what-if",
        text=(
            "Every part of the encoder is there for a reason. Take one away, or several, and see what becomes of the "
            f"attention of layer {record.layer}, head {head}, on your text. The number says how much of a row's "
            "attention went elsewhere, as the mean over rows: 0 % is the same picture, 100 % is nothing in common."
        ),
        formula=(
            rf"\text{{changed}} = \frac{{1}}{{{s.T}}} \sum_{{i=0}}^{{{s.T - 1}}} \frac{{1}}{{2}} "
            rf"\sum_{{j=0}}^{{{s.T - 1}}} \big|A_{{ij}} - A^\text{{changed}}_{{ij}}\big|"
        ),
        sources=(changed,),
    )


def numbers(backend: ScratchBackend, record: Record, head: int) -> Step:
    """Parameters and operations."""
    s = sizes_of(record)
    at = crossings(record.config)
    return Step(
        key="numbers",
        text=(
            "How large is all this? **Parameters** are the learned numbers of the tables and matrices you have seen; "
            "most lie in the word table and in the feed-forward. **Operations** are the multiplications and additions "
            "of one run. All parts grow with the length of the text, T tokens, but scores and context grow with its "
            "square, since every token meets every token. "
            f"With this model's widths they overtake the feed-forward at {at.feed_forward:,} tokens."
        ),
        formula=(
            rf"\text{{scores and context: }} 4\,T^2 \cdot {s.D} \qquad \text{{feed-forward: }} 4\,T \cdot {s.D} \cdot "
            rf"{s.F} \qquad \text{{equal at }} T = {s.F}"
        ),
        sources=(operations, count_parameters),
    )
