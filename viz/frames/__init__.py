"""Tables of texts in Python: the views of the group Texts as pandas frames."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from encoder.collection.names import SwapMeasure, SwapTable, What, WordForms
from encoder.collection.row_filters import (
    AND,
    ERRORS,
    check_row,
    is_error,
    name_of_rows,
    nothing_to_be_right,
    numbers_of,
)
from encoder.collection.row_labels import rule_in_words
from encoder.collection.shipped_sets import SHIPPED, shipped_collection
from encoder.collection.table import Collection, HowRead, guessed, quoted
from encoder.errors import ArgumentError, DataError, SelectionError, check_choice, did_you_mean
from encoder.runs.arrays import FloatArray
from encoder.text.common_words import fold_case
from viz.frames.sources import table_of
from viz.frames.table_errors import TableErrors

if TYPE_CHECKING:
    from encoder import Backend
    from encoder.collection.kinds.base import Results
    from encoder.collection.lexical import WordIndex
    from encoder.collection.missed import Missed
    from encoder.collection.row_labels import LabelClasses
    from encoder.collection.search import GrowingVectors, Ranking
    from encoder.collection.word_map import WordMap
    from encoder.comparison.exact_splits import Vectors


class Texts:
    """A table of texts, and what a model makes of it; `headlight.texts` opens one.

    Rows without a text are not read: results with a row for each text have missing values there. Frames have the index
    of the caller's frame. Numbers of rows count all rows, from 0.

    Attributes:
        collection: the rows that are read, and which columns hold texts and labels.
        index: of all rows.
    """

    def __init__(self, collection: Collection, index: pd.Index | None = None) -> None:
        self.collection = collection
        read = np.arange(len(collection)) if collection.positions is None else collection.positions
        self.index = pd.RangeIndex(len(read) + (0 if collection.positions is None else collection.num_blank))
        self.index, self._read = self.index if index is None else index, read
        self._embedded: WeakKeyDictionary[Backend, GrowingVectors] = WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self.collection)

    def __repr__(self) -> str:
        about, rows = self.collection, f"{len(self):,}"
        columns = ", ".join(filter(None, (about.text, about.text_b, about.label)))
        of_all = "" if len(self) == len(self.index) else f" of {len(self.index):,}"
        of_all += " row" if len(self.index) == 1 else " rows"
        remarks = "".join(f"\n  {remark}" for remark in about.remarks)
        return f"<Texts {about.name!r}: {rows}{of_all}, read from {columns}>{remarks}"

    def numbers(self, rows: Any) -> Any:
        """The numbers among all rows of rows that are read."""
        return self._read[rows]

    def _own(self, rows: Any) -> Any:
        """A filter, or numbers of rows as those of rows that are read. Raises SelectionError."""
        if isinstance(rows, str) and AND in rows:
            own = (self._own(part) for part in rows.split(AND))
            return AND.join(part if isinstance(part, str) else name_of_rows(part) for part in own)
        given = numbers_of(rows if isinstance(rows, str) else name_of_rows(rows), len(self.index))
        if given is None and isinstance(rows, str):
            return rows
        if given is None:
            for row in rows:
                check_row(row, len(self.index))
            raise SelectionError("No row was chosen: give at least one.")
        unread = given[~np.isin(given, self._read)]
        if len(unread):
            raise SelectionError(f"Row {unread[0]} has no text, so that it is not read: choose others.")
        return np.searchsorted(self._read, given).tolist()

    def _of_rows(self, frame: pd.DataFrame, *, all_rows: bool = True) -> pd.DataFrame:
        """A frame of the rows that are read, with the caller's index; of all rows, with missing values."""
        frame.index = self.index[self._read]
        if not all_rows or len(self) == len(self.index):
            return frame
        frame.index = self._read
        return frame.reindex(range(len(self.index))).set_axis(self.index)

    def where(self, model: Backend, rows: str | Sequence[int]) -> Texts:
        """The rows that a filter keeps, as a table of its own, whose rows are counted from 0.

        Args:
            rows: as for `words`, such as "errors & topic=hotel"; a model says which rows are errors.
        Raises:
            SelectionError: there are no such rows.
            UnsupportedModelError: the model predicts nothing for these rows.
        """
        from encoder.collection.results import results_of_all
        from encoder.collection.row_filters import select_rows

        found = select_rows(self.collection, results_of_all(model, self.collection), self._own(rows))
        chosen = replace(self.collection.select(found.tolist()), positions=None, num_blank=0)
        return Texts(chosen, self.index[self._read[found]])

    def run(self, model: Backend, what: What = "predictions") -> pd.DataFrame:
        """A model's output for every row: a table that `headlight texts run` writes.

        Args:
            what: the "predictions"; what each of the "words" of a row adds to its predicted class, in log odds; what
                silencing each of the "heads" changes in it, for one forward pass of every row and head; or the
                "vectors".
        Returns:
            Of predictions, the columns of the table, then the prediction, its probability, that of each class, the loss
            (in nats, NaN where a row has no label that the model knows), the number of tokens, and whether the text was
            cut off. The rows of the other tables are named in docs/texts.md.
        Raises:
            UnsupportedModelError: the model has no such results.
        """
        from encoder.collection.row_tables import table_of

        check_choice("what", what, get_args(What))
        frame = table_of(model, self.collection, what).to_pandas()
        loss = self.collection.unused_name("loss")
        if loss in frame and frame[loss].isna().all() and self.collection.distinct_labels():
            warnings.warn("No label is one that the model predicts, so no row has a loss: see errors().", stacklevel=2)
        if what in ("predictions", "vectors"):
            return self._of_rows(frame)
        return frame.assign(row=self.numbers(frame["row"]))

    def errors(self, model: Backend) -> TableErrors:
        """Where a model is right and wrong.

        Raises:
            SelectionError: no row has a label that the model has.
            UnsupportedModelError: the model predicts nothing for these rows.
        """
        from encoder.collection.correctness import better_order, classes_in_order
        from encoder.collection.results import results_of_all

        results = results_of_all(model, self.collection)
        if not results.has_gold.any():
            raise SelectionError(f"{nothing_to_be_right(self.collection)} {self._reading(results)}".strip())
        if results.unknown_labels:
            rows, named = sum(results.unknown_labels.values()), quoted([*results.unknown_labels])
            warnings.warn(
                f"Rows with a label that the model does not have are not counted: {rows:,}, with {named}.", stacklevel=2
            )
        if (order := better_order(results)) is not None and (
            classes := classes_in_order(order, self.collection, results)
        ):
            warnings.warn(
                f"Do the labels count the classes in another order? {order.right.value:.0%} of the rows are right, not "
                f"{order.now.value:.0%}, with texts(…, labels={classes}).",
                stacklevel=2,
            )
        return TableErrors(self, results)

    def report(self, model: Backend, path: str | Path) -> Path:
        """Write a report of one page as HTML: errors, groups of rows and driving words, with three examples of each.

        Returns:
            The file.
        Raises:
            Errors of `errors`.
        """
        from encoder.collection.driving_words import driving_words
        from viz.html.answers import html_page_of_answer
        from viz.views.texts.answer.report import report

        file = Path(path)
        if not file.parent.is_dir():
            raise SelectionError(f"There is no folder {str(file.parent)!r} for the report.")
        results = self.errors(model).results
        has_words = bool(results.unit) and bool(is_error(results).any())
        words = driving_words(model, self.collection, ERRORS, results=results) if has_words else None
        answer = report(self.collection, results, words=words)
        file.write_text(html_page_of_answer(f"{model.name} reads “{self.collection.name}”", answer), encoding="utf-8")
        return file

    def _reading(self, results: Results) -> str:
        """How the labels are read, in a sentence; "" where that is by the names of the classes."""
        said = rule_in_words(results.label_rule, self.collection.distinct_labels(), results.labels)
        return said.replace("say which class each label stands for", "give texts(…, labels={label: class})")

    def embed(self, model: Backend) -> Any:
        """(N, D) the vectors of all rows as documents of a search, float32, as `Backend.embed`; of pairs, the second.

        Raises:
            UnsupportedModelError: the pooling of the folder is not supported.
        """
        vectors = self._vectors(model)
        whole = np.full((len(self.index), vectors.shape[1]), np.nan, np.float32)
        whole[self._read] = vectors
        return whole

    def _vectors(self, model: Backend) -> FloatArray:
        from encoder.collection.search import documents_of

        # As an iterator: two texts in a list may be one pair.
        return model.embed(iter(self.collection.column(documents_of(self.collection))), role="document")

    def words(self, model: Backend, rows: str | Sequence[int] = "all", *, label: str | None = None) -> pd.DataFrame:
        """Which words drive the predictions of all rows, or of some of them, by what they add to the log odds.

        Args:
            rows: a filter of the page: "all" rows, the "errors", "false positives of positive", a cell of the confusion
                matrix such as "negative>positive", "topic=hotel", or "~worse" for texts with these characters. Or
                numbers of rows, counted from 0.
            label: the class that words push to; None for the predicted class of each row.
        Raises:
            SelectionError: there are no such rows, or no such class.
            UnsupportedModelError: the model predicts nothing for a whole text, or has no mask token.
        """
        from encoder.collection.driving_words import driving_words

        return driving_words(model, self.collection, self._own(rows), label=label).frame()

    def remove_words(self, model: Backend, words: str | Sequence[str], *, label: str | None = None) -> pd.DataFrame:
        """What deleting each word, and all of them together, changes in all rows that have one of them.

        Args:
            words: one word, or several, such as those of `words`; case is ignored, and a word that no row has is left
                out.
            label: the class whose probability changes; None for the predicted class of each row.
        Returns:
            A row for each word, and a last one for all if there are several: the number of `rows`, the mean `change` of
            the probability, or of the score, with its 95 % interval, and that of as many `random` other words
            of the same rows; how many rows change class (`flips`, and `random_flips`), and how many `become_right` or
            `become_wrong`.
        Raises:
            SelectionError: there is no such class.
            UnsupportedModelError: the model predicts nothing for a whole text.
        """
        from encoder.collection.driving_words import remove_words
        from encoder.collection.results import results_of_all

        results = results_of_all(model, self.collection)
        given = [words] if isinstance(words, str) else words
        folded = list(dict.fromkeys(fold_case(word) for word in given))
        found = remove_words(model, self.collection, results, folded, label=label)
        return pd.DataFrame([removal.columns for removal in found])

    def order_quality(
        self, model: Backend, rows: str | Sequence[int] = "all", *, label: str | None = None
    ) -> pd.DataFrame:
        """How good the order of a row's words by `words` is, in up to 40 rows, drawn at random but the same each time.

        Args:
            rows, label: as for `words`.
        Returns:
            For each row its `aopc`, the mean fall of the probability as words are masked in this order, next to
            `random_aopc` of random orders. In rows of at most 10 words all orders are known: `naopc` is the place
            between the worst, 0, and the best, 1, and `random_naopc` the mean of all orders; else both are NaN.
        Raises:
            Errors of `words`.
        Source: Edin et al. (2024), arXiv 2408.08137.
        """
        from encoder.collection.order_quality import order_quality
        from encoder.collection.results import results_of_all

        results = results_of_all(model, self.collection)
        found = pd.DataFrame(order_quality(model, self.collection, results, self._own(rows), label=label).columns)
        return found.assign(row=self.numbers(found["row"]))

    def heads(self, model: Backend, rows: str | Sequence[int] = "all") -> pd.DataFrame:
        """What silencing each head changes in all rows, or in some of them; those that change the most rows first.

        Args:
            rows: as for `words`.
        Raises:
            SelectionError: there are no such rows, or the model's heads cannot be silenced.
            UnsupportedModelError: the model predicts nothing for a whole text.
        """
        from encoder.collection.driving_heads import silence_heads
        from encoder.collection.results import results_of_all

        found = silence_heads(model, self.collection, results_of_all(model, self.collection), self._own(rows))
        return pd.DataFrame(found.columns).sort_values("flips", ascending=False, kind="stable", ignore_index=True)

    def routes(self, model: Backend, rows: str | Sequence[int] = "all") -> pd.DataFrame:
        """Which heads carry the predicted class of all rows, or of some of them, on two halves of the rows.

        Args:
            rows: as for `words`.
        Returns:
            For each head its mean `share` in the absolute contributions of all attention weights in one half, the
            `held_out_share` in the other half, and the share of held-out rows that it `leads`. In the `attrs`: the
            number of `rows`, the rank `correlation` of both halves, and where 95 % of held-out shares lie if the heads
            of each row are `shuffled`.
        Raises:
            SelectionError: there are not enough such rows, or the model's attention cannot be changed.
            UnsupportedModelError: the model predicts nothing for a whole text.
        """
        from encoder.collection.head_routes import head_routes
        from encoder.collection.results import results_of_all

        return head_routes(model, self.collection, results_of_all(model, self.collection), self._own(rows)).frame()

    def near_duplicates(self) -> pd.DataFrame:
        """Pairs of texts of which at least 80 % of the words are the same, those that share most first.

        Returns:
            Both rows of each pair, with their texts and labels. In the `attrs`: the share of copies without one word
            that would be `found`, and how many pairs there are `by_chance`, with the words shuffled among the rows.
        """
        from encoder.collection.near_duplicates import near_duplicates
        from viz.views.texts.answer.details import columns_of_duplicates

        found = near_duplicates(self.collection)
        frame = pd.DataFrame(columns_of_duplicates(found, self.collection))
        frame[["row", "other row"]] = self.numbers(found.pairs)
        frame.attrs = {"found": found.copies_found, "by_chance": found.by_chance}
        if found.is_cut:
            warnings.warn(f"There are more than these {len(frame):,} pairs, the first of the table.", stacklevel=2)
        return frame

    def search(self, model: Backend, query: str) -> pd.DataFrame:
        """The rows by the similarity of their text to a query, or by a reranker's score; the best first.

        The folder says by which: the column is "cosine", "dot product", or a "negative Euclidean distance" or
        "negative Manhattan distance". Its prompts for queries and documents are read.

        Of pairs such as query and passage, the second texts are searched. The column "BM25" has the score by words
        alone. Others say whether a text was "cut off", and whether there is "no known word" in it.

        Raises:
            InputError: the query is blank.
            UnsupportedModelError: the pooling of the model's folder is not supported.
        """
        from encoder.collection import search

        found = search.search(model, self.collection, query, self._vectors_for(model))
        self._warn_of_unread(model, [query])
        columns = {found.score: found.scores, "BM25": self._words.scores(query)} | found.unread.columns
        return self._with(columns, all_rows=False).iloc[found.ranking.rows]

    def two_rankings(self, model: Backend, other: Backend, query: str) -> pd.DataFrame:
        """The texts among the first ten of two models' rankings, those whose places differ most first.

        Returns:
            The columns of the table, then `place` and `other_place`, counted from 1.
        Raises:
            InputError, UnsupportedModelError: as `search`.
        """
        from encoder.collection import search

        one, two = (
            search.search(each, self.collection, query, self._vectors_for(each)).ranking for each in (model, other)
        )
        for each in (model, other):
            self._warn_of_unread(each, [query])
        places = self._with({"place": one.places, "other_place": two.places}, all_rows=False)
        return places.iloc[search.most_moved(one, two)]

    def test_hit(self, model: Backend, query: str, row: int | None = None) -> pd.DataFrame:
        """Whether a text falls without the pair of words that its place rests on, next to up to 20 other pairs.

        Args:
            row: of the text in the table; None for the first hit.
        Returns:
            The words that are deleted from the query and from the text, the place of the text then, counted from 1,
            and its cosine or score. Nothing is deleted in the first row, and the tested pair in the second.
        Raises:
            ArgumentError: the query or the text has no word.
            SelectionError: the table has no such row.
            InputError, UnsupportedModelError: as `search`, or the model has no mask token.
        """
        from encoder.collection.hit_test import remove_strongest_pair

        own = row if row is None else self._own([row])[0]
        into = self._vectors_for(model)
        found = pd.DataFrame(remove_strongest_pair(model, self.collection, query, own, into=into).columns)
        self._warn_of_unread(model, [query])
        return found

    def pairs(self, model: Backend) -> pd.DataFrame:
        """How near the two texts of each row are, such as a query and its passage, or a text and its negation.

        Returns:
            The columns of the table, then the `cosine` of the two; the `other_cosine` of the first text with the second
            one of a random other row; and whether no other second text is nearer to the first one (`nearest`). A
            UserWarning says how many texts are cut off.
        Raises:
            DataError: the table has no second texts, or a single row.
            UnsupportedModelError: the pooling of the model's folder is not supported.
        """
        from encoder.collection.search import pairs_of_rows

        found = pairs_of_rows(model, self.collection)
        found.unread.warn()
        return self._with({"cosine": found.cosines, "other_cosine": found.others, "nearest": found.nearest})

    def relevant_among(self, model: Backend | Literal["bm25"], first: Sequence[int] = (1, 3, 10)) -> pd.Series:
        """The share of the table's queries of which a relevant text is among the first hits, by their number.

        A text is relevant if its label is "yes", "true" or "relevant", or a whole number from 1, such as a grade.

        Args:
            model: "bm25" ranks by words alone.

        Raises:
            ArgumentError: one of the numbers is not positive, or the model is another name.
            SelectionError: no label says that a text is relevant.
            UnsupportedModelError: the pooling of the model's folder is not supported.
        """
        from encoder.collection.search import found_among, hits_by_words

        if isinstance(model, str):
            if model != "bm25":
                raise ArgumentError(f"{model!r} is no model: give one that is loaded, or 'bm25'.")
            wanted = self._relevant_rows()
            rankings = [hits_by_words(self._words, query) for query in wanted]
        else:
            rankings, wanted = self._rankings_of_queries(model)
            self._warn_of_unread(model, wanted)
        return pd.Series({k: found_among(rankings, list(wanted.values()), k) for k in first}, name="found")

    def queries(self, model: Backend) -> pd.DataFrame:
        """The place of the relevant text of each query of the table, counted from 1, and what came first; worst first.

        Raises:
            Errors of `relevant_among`.
        """
        from viz.views.search.answer import columns_of_queries

        rankings, wanted = self._rankings_of_queries(model)
        found = pd.DataFrame(columns_of_queries(rankings, wanted, self.collection))
        self._warn_of_unread(model, wanted)
        return found.sort_values("place", ascending=False, kind="stable", ignore_index=True)

    def why_not(self, model: Backend, query: str, row: int) -> Missed:
        """Why a text is not among the first five for a query: causes, each tested, and words that would find it.

        Args:
            row: of the text that was expected.
        Returns:
            `.cause`, the first that holds, or None; `.place`; `.edit`, the smallest found edit of the query; `.bm25`,
            the place by words alone, None without a common word; `.frame()`, a row for each cause: whether it `holds`,
            the `place` after its repair, and a `detail`, such as the number that the model blurs.
        Raises:
            SelectionError: the table has no such row.
            InputError, UnsupportedModelError: as `search`.
        """
        from encoder.collection.missed import missed
        from encoder.collection.search import search

        own, into = self._own([row])[0], self._vectors_for(model)
        by_model = search(model, self.collection, query, into)
        found = missed(model, self.collection, query, own, by_model.scores, by_model.vectors, self._words)
        self._warn_of_unread(model, [query])
        return replace(found, row=row, winner=int(self.numbers(found.winner)))

    def missed(self, model: Backend) -> pd.DataFrame:
        """The queries of the table whose relevant text is not among the first five, each with its cause.

        Returns:
            The query, the `row` of its relevant text that comes first, its `place`, that by words alone (`bm25`), the
            `cause` that holds, or None, and the words of the `edit` that would find it; the worst first. In the
            `attrs`: the number of `queries` with a relevant text, and the `causes`, the most frequent first: how many
            `failures` have each, and their `share` with its 95 % interval, `from` and `to`.
        Raises:
            Errors of `relevant_among`.
        """
        from encoder.collection.missed import missed_queries, shares_of_causes

        wanted = self._relevant_rows()
        scores, vectors = self._scores_of_queries(model, list(wanted))
        self._warn_of_unread(model, wanted)
        found = missed_queries(model, self.collection, wanted, scores, vectors, self._words)
        columns = {name: [getattr(each, name) for each in found] for name in ("query", "row", "place", "bm25", "cause")}
        columns["edit"] = [" ".join(each.edit.words) if each.edit else "" for each in found]
        frame = pd.DataFrame(columns | {"row": self.numbers(np.array(columns["row"], np.intp))})
        frame.attrs["queries"] = len(wanted)
        frame.attrs["causes"] = [
            {
                "cause": cause,
                "failures": round(each.value * each.n),
                "share": each.value,
                "from": each.low,
                "to": each.high,
            }
            for cause, each in shares_of_causes(found).items()
        ]
        return frame

    def _rankings_of_queries(self, model: Backend) -> tuple[list[Ranking], dict[str, list[int]]]:
        """The ranking of each query that has a relevant text, and the rows of these. Raises as `relevant_among`."""
        from encoder.collection.search import rank

        wanted = self._relevant_rows()
        return list(map(rank, self._scores_of_queries(model, list(wanted))[0])), wanted

    def _relevant_rows(self) -> dict[str, list[int]]:
        """The relevant rows of each query. Raises SelectionError if there are none, or no texts besides the queries."""
        from viz.views.search.answer import relevant_rows

        if self.collection.text_b is None:
            raise SelectionError("Queries and the texts that they find are two columns: name the second with text_b=.")
        if wanted := relevant_rows(self.collection):
            return wanted
        raise SelectionError("No label says that a text is relevant: a column of labels needs a “yes”.")

    def _scores_of_queries(self, model: Backend, queries: list[str]) -> tuple[FloatArray, Vectors | None]:
        """(Q, N) scores of queries and texts, and the vectors of the texts; a reranker has none. Errors as `search`."""
        from encoder.collection.search import embed_rows, is_reranker, rerank, scores_of_queries

        into = self._vectors_for(model)
        if is_reranker(model):
            found = [rerank(model, self.collection, query) for query in queries]
            into.unread = found[0].unread
            return np.stack([each.scores for each in found]), None
        vectors = embed_rows(model, into)
        return scores_of_queries(model, queries, vectors), vectors

    def _warn_of_unread(self, model: Backend, queries: Iterable[str]) -> None:
        """Warn the caller of the method that calls this, if a searched text or a query is not read as it is written."""
        from encoder.text.readings import Unread

        read = Unread.of(*map(model.tokenize, queries), what="queries")
        if said := [*self._vectors_for(model).unread.sentences, *read.sentences]:
            warnings.warn(" ".join(said), stacklevel=3)

    @cached_property
    def _words(self) -> WordIndex:
        """The words of the texts that are searched."""
        from encoder.collection.lexical import WordIndex
        from encoder.collection.search import documents_of

        return WordIndex(self.collection.column(documents_of(self.collection)))

    def _vectors_for(self, model: Backend) -> GrowingVectors:
        """The vectors of the texts by a model, made by the first search and cached as long as the model is open."""
        from encoder.collection.search import GrowingVectors

        return self._embedded.setdefault(model, GrowingVectors(self.collection))

    def one_word(self, model: Backend, word: str, forms: WordForms = "form") -> WordMap:
        """Every occurrence of a word after every layer: its place on a map, and its nearest neighbour.

        Args:
            forms: "inflections" counts all words of the same English lemma, as "flew" for "flies"; "German", or another
                of sixteen languages, those of its lemma.
        Returns:
            N occurrences and S = L + 1 hidden states: `.columns`, S N rows for pandas with the place on the map, the
            row of the nearest occurrence, the cluster, and the tag that the model predicts, if it tags words; and
            `.accuracies` by column, and of these tags under "~tags": the (S,) shares of occurrences whose nearest
            neighbour, or nearest centroid, in the other texts has their label, and those of shuffled labels.
        Raises:
            DataError: the word stands in no text, or the model reads none of the occurrences.
        Source: principal components; Schönemann (1966) for the rotation of each layer to the one before.
        """
        from encoder.collection.word_map import find_word, map_word

        check_choice("forms", forms, get_args(WordForms))
        found = map_word(model, self.collection, find_word(self.collection, word, forms))
        return replace(found, rows=self._read)

    def swaps(
        self,
        model: Backend,
        what: SwapTable = "swaps",
        *,
        part: str | None = None,
        measure: SwapMeasure = "class",
        label: str | None = None,
    ) -> pd.DataFrame:
        """What each swap changes in rows with slots, such as "{He|She} is a nurse."; other rows are left out.

        Args:
            what: "swaps" has a row for each swap over all templates that have it, with the mean shift, its sign, its
                95 % interval over templates and the corrected p (NaN below five); "templates" one for each swap in each
                template; "heads" one for each head: by how much the mean size of the shifts falls if it is silenced, in
                all templates, in every second one, from which to choose it, and in the others, which are held out.
            part: one set of templates, by its name in the column "set"; None for each of them, by itself.
            measure: "class" is the probability of a class, "score" the head's score, "cosine" that with the first
                filling, "masked word" the probability of the word that is likeliest in the first filling, "tag" the
                mean probability of the tags that the words outside the slots have in the first filling.
            label: the class; None for the last one.
        Returns:
            The rows of each set, named in a column "set" if the table has sets. The largest are first; of "swaps",
            those of at least five templates are before the others.
        Raises:
            ArgumentError: there is no such table or measure, or a class of a measure that has none.
            DataError: no row has a slot, or one is faulty.
            SelectionError: the model has no such class, the table no such set, or the model's heads can't be silenced.
            UnsupportedModelError: the model has no such output for any template of a set.
        Source: Ribeiro et al. (2020), section 3, for the test; Michel et al. (2019), section 3.2, for heads.
        """
        from encoder.collection import swaps
        from encoder.collection.swap_heads import swap_columns

        check_choice("what", what, get_args(SwapTable))
        check_choice("measure", measure, get_args(SwapMeasure))
        if label is not None and measure != "class":
            raise ArgumentError(f"label is {label!r}: the measure {measure!r} is of no class.")
        sets = swaps.texts_by_set(self.collection)
        if not sets:
            raise DataError("No row has a slot with at least two fillers, as in {he|she}.")
        if part is not None and part not in sets:
            names = ", ".join(filter(None, sets)) or "none"
            raise SelectionError(f"No set of templates is called {part!r}: the column “set” has {names}.")
        labels = swaps.class_labels(model)
        if label is not None and label not in labels:
            raise SelectionError(f"{model.name} has no class {label!r}: it has {', '.join(labels) or 'none'}.")
        index = labels.index(label) if label is not None else max(len(labels) - 1, 0)
        frames = []
        for name in sets if part is None else [part]:
            templates = [swaps.parse_template(text) for text in sets[name]]
            frame = pd.DataFrame(swap_columns(model, templates, what, measure, index))
            if any(sets):
                frame.insert(0, swaps.SET, name)
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def _with(self, columns: dict[str, Any], *, all_rows: bool = True) -> pd.DataFrame:
        found = pd.DataFrame(columns).rename(columns=self.collection.unused_name)
        return self._of_rows(pd.concat([self.collection.table.to_pandas(), found], axis=1), all_rows=all_rows)


def texts(
    source: str | Path | Iterable[Any] | pd.DataFrame,
    *,
    text: str | None = None,
    text_b: str | None = None,
    label: str | None = None,
    labels: LabelClasses | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
) -> Texts:
    """A table of texts: a file, the name of one that ships, a list of texts, or a pandas frame.

    Args:
        source: a path of .csv, .tsv, .txt, .json, .jsonl, .parquet, .arrow or .xlsx, possibly in .gz or .zip;
            "reviews", "words", "passages", "swaps" or "negations"; texts, pairs as tuples, or rows as dicts; or
            columns: a frame, a series, a dict of lists, a table of Arrow or polars, or a data set of `datasets`; of a
            stream the first million rows are read.
        text, text_b, label: the columns of the texts, of second texts and of labels; those that are not given are
            guessed, except that of second texts where `text` is given.
        labels: the model's class for each label, such as {"pos": "positive", 0: "negative"}, by its name or its number,
            None for no class; or the labels of the classes in their order; or "numbers", where all are numbers of
            classes.
        encoding, delimiter, header: of a file, such as "cp1251", "|", and False where no line names the columns; None
            for what the reader finds. `repr` says what it left out or cut.
    Raises:
        DataError: the file is missing, broken or empty, has no such column or label, or a row is no text.
    """
    how = HowRead(encoding=encoding, delimiter=delimiter, header=header)
    if isinstance(source, (str, Path)):
        if source in SHIPPED and not Path(source).exists():
            if text or text_b or label or how != HowRead():
                raise DataError(f"{source} ships with its columns: give no others, nor how to read it.")
            return Texts(shipped_collection(str(source)).with_classes(labels))
        from encoder.collection.files import open_collection

        try:
            return Texts(open_collection(source, text=text, text_b=text_b, label=label, labels=labels, how=how))
        except DataError as error:
            raise DataError(f"{error}{'' if Path(source).exists() else did_you_mean(str(source), SHIPPED)}") from error
    if how != HowRead():
        raise DataError("An encoding, a delimiter or a header was given, which only a file has: leave them out.")
    table, index, remarks = table_of(source)
    found = guessed("texts", table, text=text, text_b=text_b, label=label, remarks=remarks)
    return Texts(found.with_classes(labels), index)
