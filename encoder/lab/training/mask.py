"""Train the head for masked words of the bundled model, whose states stay as they are.

Words or single pieces of each text are masked in several draws; the states of the masked tokens are computed once, and
the head is fitted to them. Its output matrix is the model's own word vectors. Each step scores the masked pieces
against those that are masked most often and a draw of the others, which stands for all others.

Source: Devlin et al. (2019), section 3.1, for the task; Jean et al. (2015), section 3, for the softmax over a part.
"""

from __future__ import annotations

import argparse
import logging
import math
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from typing import Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F
from tqdm import tqdm

from encoder.arguments import positive
from encoder.lab.training.data import TaggedSentence, find_file, read_paragraphs, read_tagged
from encoder.lab.training.output import ALICE_CREDIT, BUNDLED_CREDIT, EWT_CREDIT, Card, save_tensors, write_card
from encoder.models.device import device_of
from encoder.models.tensors import batches_within
from encoder.shipped.bundled import bundled_folder
from encoder.shipped.card import Figure
from encoder.shipped.mask_accuracy import MASK_HEADS, MEASURED, TOPS
from encoder.shipped.mask_head import MaskHead
from encoder.shipped.names import BUNDLED
from encoder.shipped.sentiment import WORD_VECTORS, SentimentBackend, load_bundled
from encoder.shipped.weights_file import dequantised, quantise
from encoder.text.tokens import Tokens
from encoder.transformer.encoder import Encoder

logger = logging.getLogger(__name__)

Masking = Literal["words", "pieces", "one word"]
MASKINGS: tuple[Masking, Masking] = ("words", "pieces")  # of draws, in turn
BATCH_TOKENS = 3072
AT_ONCE = 256  # rows scored against the whole vocabulary


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the head is fitted; the defaults are those of the shipped one."""

    seed: int = 0
    draws: int = 4  # of masks over all texts
    masked: float = 0.15  # share of words or pieces
    hidden: int = 768
    steps: int = 4000
    batch: int = 512
    learning_rate: float = 2e-3
    warm_up: int = 100  # steps
    weight_decay: float = 0.05
    dropout: float = 0.3
    cut: float = 0.3  # share of tokens of which later states are replaced by their mean
    frequent: int = 3000  # pieces in every softmax
    others: int = 600  # of the rest, in a step's softmax
    averaging: float = 0.998  # share of the old average that a step retains
    held_out_words: int = 3  # of each sentence, masked one at a time


class MaskedTokens(NamedTuple):
    """N masked tokens: (N, L + 1, D) states in float16, and (N,) ids."""

    states: NDArray[np.float16]
    ids: NDArray[np.int64]


class Masked(NamedTuple):
    """A text with masked tokens: its ids, the masked positions, and the ids that were there."""

    ids: list[int]
    positions: list[int]
    truth: list[int]


def mask_tokens(
    tokens: Tokens, random: np.random.Generator, masking: Masking, *, mask_id: int, settings: Settings
) -> list[Masked]:
    """A text with some words or pieces masked, at least one and not all; or with one word masked at a time."""
    owners = np.array([-1 if word is None else word for word in tokens.word_ids])
    inner = owners >= 0
    words = np.unique(owners[inner])
    if len(words) < 2:
        return []
    if masking == "one word":
        single = [word for word in random.permutation(words) if (owners == word).sum() == 1]
        chosen = [owners == word for word in single[: settings.held_out_words]]
    elif masking == "words":
        picked = words[random.random(len(words)) < settings.masked]
        chosen = [np.isin(owners, picked if len(picked) else random.choice(words, 1))]
    else:
        picked = np.flatnonzero(inner & (random.random(len(owners)) < settings.masked))
        chosen = [np.isin(np.arange(len(owners)), picked if len(picked) else random.choice(np.flatnonzero(inner), 1))]
    ids = np.array(tokens.ids)
    return [
        Masked(np.where(gone, mask_id, ids).tolist(), np.flatnonzero(gone).tolist(), ids[gone].tolist())
        for gone in chosen
        if gone.any() and not gone[inner].all()
    ]


@torch.inference_mode()
def collect(encoder: Encoder, texts: Sequence[Masked], *, description: str) -> MaskedTokens:
    """The states of all masked tokens, in the order of the texts."""
    device = device_of(encoder)
    lengths = [len(text.ids) for text in texts]
    order = sorted(range(len(texts)), key=lengths.__getitem__)
    states: list[NDArray[np.float16]] = [np.zeros(0, np.float16)] * len(texts)
    for rows in tqdm(batches_within(order, lengths, BATCH_TOKENS), desc=description, unit=" batches"):
        longest = max(lengths[row] for row in rows)
        ids = torch.tensor([texts[row].ids + [0] * (longest - lengths[row]) for row in rows], device=device)  # (B, T)
        real = torch.tensor([[1] * lengths[row] + [0] * (longest - lengths[row]) for row in rows], device=device)
        hidden = torch.stack(encoder(ids, None, real).hidden_states)  # (L + 1, B, T, D)
        for number, row in enumerate(rows):
            states[row] = hidden[:, number, texts[row].positions].transpose(0, 1).half().cpu().numpy()
    return MaskedTokens(np.concatenate(states), np.concatenate([text.truth for text in texts]).astype(np.int64))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `python -m encoder.training.train mask`."""
    defaults = Settings()
    parser.add_argument(
        "--steps", type=positive, default=defaults.steps, help=f"of the fit (default: {defaults.steps})"
    )
    parser.add_argument("--draws", type=positive, default=defaults.draws, help=f"of masks (default: {defaults.draws})")


def run(args: argparse.Namespace) -> None:
    """Fit the head, and write it with its model card to `args.out`."""
    settings = Settings(seed=args.seed, steps=args.steps, draws=args.draws)
    sentences = [text_of(row) for row in read_tagged(find_file(args.data, "ewt_train.jsonl"))]
    sentences += read_paragraphs(find_file(args.data, "longtext.txt"))
    held_out = [text_of(row) for row in read_tagged(find_file(args.data, "ewt_dev.jsonl"))]
    backend = load_bundled(bundled_folder())
    backend.to(args.device)
    encoder = deepcopy(backend.encoder).bfloat16()  # three times as fast, with states off by about 1 %
    draws = [
        collect(encoder, masked_texts(backend, sentences, draw, settings), description=f"states, draw {draw + 1}")
        for draw in range(settings.draws)
    ]
    tokens = MaskedTokens(*map(np.concatenate, zip(*draws, strict=True)))
    head = fit(tokens, backend.encoder.get_parameter(WORD_VECTORS).detach(), settings, device=args.device)
    tensors, stem = quantise(head.state_dict()), MASK_HEADS[BUNDLED]
    save_tensors(args.out / f"{stem}.safetensors", tensors)
    head.load_state_dict(dequantised(tensors))
    figures = measure(backend, head, held_out, settings)
    write_card(args.out, stem, card_of(settings, len(tokens.ids), figures))
    logger.info("%s", ", ".join(f"{figure.name} {figure.value:.4f}" for figure in figures))


def text_of(sentence: TaggedSentence) -> str:
    """A treebank's sentence as it is typed."""
    ends = (" " if space else "" for space in sentence.space_after)
    return "".join(word + end for word, end in zip(sentence.words, ends, strict=True)).strip()


def masked_texts(backend: SentimentBackend, texts: Sequence[str], draw: int, settings: Settings) -> list[Masked]:
    """One draw of masks over all texts: whole words in every second draw, else single pieces."""
    random, masking = np.random.default_rng((settings.seed, draw)), MASKINGS[draw % len(MASKINGS)]
    return list(_masked(backend, texts, random, masking, settings))


def _masked(
    backend: SentimentBackend,
    texts: Sequence[str],
    random: np.random.Generator,
    masking: Masking,
    settings: Settings,
) -> Iterator[Masked]:
    mask_id = backend.tokenizer.inner.mask_token_id
    for text in texts:
        yield from mask_tokens(backend.tokenize(text), random, masking, mask_id=mask_id, settings=settings)


def fit(tokens: MaskedTokens, table: Tensor, settings: Settings, *, device: torch.device | None = None) -> MaskHead:
    """The head, averaged over its training.

    Args:
        table: (V, D) word vectors, which stay as they are.
    """
    torch.manual_seed(settings.seed)
    count, vocabulary = len(tokens.ids), len(table)
    sample = torch.from_numpy(tokens.states[:: max(1, count // 20_000)]).float()  # (S, L + 1, D)
    mean, scale = sample.mean(0), sample.std(0).clamp(min=1e-3)
    counts = torch.bincount(torch.from_numpy(tokens.ids), minlength=vocabulary) + 0.1
    head = MaskHead(torch.zeros_like(mean), settings.hidden, vocabulary)
    with torch.no_grad():
        head.norm.weight.fill_(0.3)  # first logits of a size that a softmax learns from
        head.bias.copy_(counts.log() - counts.log().mean())
    head.to(device).train()
    matrices = [value for value in head.parameters() if value.dim() > 1]
    vectors = [value for value in head.parameters() if value.dim() <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": settings.weight_decay}, {"params": vectors, "weight_decay": 0.0}],
        lr=settings.learning_rate,
        betas=(0.9, 0.98),
        fused=True,
    )
    softmax = PartialSoftmax(counts, table, settings)
    average = {name: value.detach().clone() for name, value in head.named_parameters()}
    bar = tqdm(_batches(count, settings), total=settings.steps, desc="head", unit=" batches")
    for step, rows in enumerate(bar):
        rate = settings.learning_rate * min(1, (step + 1) / settings.warm_up) * (1 - step / settings.steps)
        for group in optimizer.param_groups:
            group["lr"] = rate
        states = (torch.from_numpy(tokens.states[rows.numpy()]).float() - mean) / scale  # (B, L + 1, D)
        loss = _loss(head, softmax, states, torch.from_numpy(tokens.ids[rows.numpy()]), settings)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        share = max(1 - settings.averaging, 1 / (step + 1))
        for name, value in head.named_parameters():
            average[name].lerp_(value.detach(), share)
        if step % 50 == 0:
            bar.set_postfix(loss=f"{loss.item():.3f}")
    head.load_state_dict(average, strict=False)
    head.cpu().eval()
    _for_plain_states(head, mean, scale)
    return head


@torch.no_grad()
def _for_plain_states(head: MaskHead, mean: Tensor, scale: Tensor) -> None:
    """Turn a head of standardised states into the equivalent head of states as they are."""
    head.read.weight /= scale.flatten()
    head.read.bias.sub_(head.read.weight @ mean.flatten())
    head.absent.copy_(mean)


def _batches(count: int, settings: Settings) -> Iterator[Tensor]:
    """`steps` batches of rows, in orders that depend on the seed alone."""
    random = torch.Generator().manual_seed(settings.seed)
    done = 0
    while True:
        for rows in torch.randperm(count, generator=random).split(settings.batch):
            if done == settings.steps:
                return
            done += 1
            yield rows


def _loss(head: MaskHead, softmax: PartialSoftmax, states: Tensor, truth: Tensor, settings: Settings) -> Tensor:
    """The loss on standardised states (B, L + 1, D) of pieces (B,); some tokens are cut after an earlier state."""
    device, (count, layers, _) = head.bias.device, states.shape
    last = torch.full((count,), layers - 1)
    cut = torch.rand(count) < settings.cut
    last[cut] = torch.randint(0, layers - 1, (int(cut.sum()),))
    states *= (torch.arange(layers) <= last[:, None])[..., None]  # the mean of a standardised state is 0
    with torch.autocast(device.type, torch.bfloat16):
        hidden = head(states.to(device), dropout=settings.dropout)  # (B, D)
    return softmax.loss(hidden, head.bias, truth.to(device))


class PartialSoftmax:
    """A softmax over the frequent pieces, those of a batch, and a draw of the others that stands for all others."""

    def __init__(self, counts: Tensor, table: Tensor, settings: Settings) -> None:
        """`counts` (V,) of the pieces, `table` (V, D) of their vectors."""
        self.table, self.draw = table.bfloat16(), settings.others
        self.frequent = counts.argsort(descending=True)[: settings.frequent]
        self.is_frequent = torch.zeros(len(counts), dtype=torch.bool)
        self.is_frequent[self.frequent] = True
        self.rest = (~self.is_frequent).nonzero()[:, 0]

    def loss(self, hidden: Tensor, bias: Tensor, truth: Tensor) -> Tensor:
        """The mean cross entropy of pieces (B,), from vectors (B, D) and biases (V,)."""
        own = truth.cpu().unique()
        own = own[~self.is_frequent[own]]
        drawn = self.rest[torch.randint(len(self.rest), (min(self.draw, len(self.rest)),))].unique()
        drawn = drawn[~torch.isin(drawn, own)]
        pieces = torch.cat((self.frequent, own, drawn)).to(hidden.device)  # (S,)
        stands_for = hidden.new_zeros(len(pieces), dtype=torch.float32)
        stands_for[len(self.frequent) + len(own) :] = math.log(max(1, len(self.rest) / max(1, len(drawn))))
        places = torch.empty(len(bias), dtype=torch.long, device=hidden.device)
        places[pieces] = torch.arange(len(pieces), device=hidden.device)
        logits = (hidden.bfloat16() @ self.table[pieces].T).float() + bias[pieces] + stands_for  # (B, S)
        return F.cross_entropy(logits, places[truth])


@torch.no_grad()
def measure(backend: SentimentBackend, head: MaskHead, texts: Sequence[str], settings: Settings) -> tuple[Figure, ...]:
    """The shares of held-out tokens among the head's first words: one word masked at a time, and several at once."""
    table = backend.encoder.get_parameter(WORD_VECTORS)
    random = np.random.default_rng((settings.seed, settings.draws))
    one, several = (
        collect(
            backend.encoder,
            list(_masked(backend, texts, random, masking, settings)),
            description=f"held-out states, {masking}",
        )
        for masking in ("one word", "pieces")
    )
    names = ["the embeddings", *(f"layer {layer}" for layer in range(backend.num_layers))]
    figures = []
    for index in reversed(range(len(names))):
        ranks = _ranks(head, one, table, after=index)
        figures += _figures(ranks, one, f"after_{index}", f"read up to {names[index]}", "EWT dev, one word masked")
    ranks = _ranks(head, several, table, after=None)
    test_set = f"EWT dev, {settings.masked:.0%} of pieces masked"
    return (*figures, *_figures(ranks, several, "of_several", "all states", test_set))


def _ranks(head: MaskHead, tokens: MaskedTokens, table: Tensor, *, after: int | None) -> NDArray[np.int64]:
    """(N,) the number of pieces that the head finds likelier than the masked one."""
    head = head.to(table.device)
    found = []
    for start in range(0, len(tokens.ids), AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        states = torch.from_numpy(tokens.states[rows]).float().to(table.device)
        if after is not None:
            states[:, after + 1 :] = head.absent[after + 1 :]
        logits = head(states) @ table.T + head.bias  # (n, V)
        own = logits.gather(1, torch.from_numpy(tokens.ids[rows]).to(table.device)[:, None])  # (n, 1)
        found.append((logits > own).sum(1).cpu().numpy())
    return np.concatenate(found)


def _figures(ranks: NDArray[np.int64], tokens: MaskedTokens, end: str, what: str, test_set: str) -> list[Figure]:
    commonest = float(np.bincount(tokens.ids).max() / len(tokens.ids))
    return [
        Figure(
            name=f"{MEASURED}{top}_{end}",
            title=f"Masked word among the first {top}, {what}" if top > 1 else f"Masked word, {what}",
            test_set=test_set,
            value=float((ranks < top).mean()),
            n=len(ranks),
            baseline=commonest if top == 1 else None,
            baseline_name="always the most common piece" if top == 1 else "",
        )
        for top in TOPS
    ]


def card_of(settings: Settings, count: int, figures: tuple[Figure, ...]) -> Card:
    """The model card of the head."""
    return Card(
        name=MASK_HEADS[BUNDLED],
        what=(
            "A head for masked words on the hidden states of the model 'bundled', which stays as it is and never "
            "learned to fill in words. It reads the states of a masked token after every layer, in two layers; its "
            "output matrix is the model's own word vectors. Of 30 % of the tokens it saw the first states alone, so it "
            "reads a run up to any layer."
        ),
        command=f"python -m encoder.training.train mask --data FOLDER --seed {settings.seed}",
        data=(EWT_CREDIT, ALICE_CREDIT, BUNDLED_CREDIT),
        settings=asdict(settings) | {"masked_tokens": count},
        figures=figures,
        limits=(
            "It reads no other token: what it knows of the text, attention has brought to the masked token. From the "
            "embeddings alone it knows only where the mask stands.",
            "It was fitted to a quarter of a million words, mostly of single sentences from the web: it knows few "
            "facts, and rare words hardly come first.",
            "It was fitted to texts that are read alone, not to pairs.",
            "A mask stands for one piece of the vocabulary.",
        ),
    )
