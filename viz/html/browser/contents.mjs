// Types of the JSON that Python writes into saved pages (`viz/saved_page/contents.py`) and slides
// (`viz/slides/contents.py`), whose words are in the HTML. Nothing in here runs.
/** @import { Cuts } from "../../components/cell_map/cuts.mjs" */
/** @import { Quantity } from "../../components/shared/quantity.mjs" */
/** @import { Follows } from "../../components/shared/other_model.mjs" */
/** @import { Seen } from "../../components/stage/words.mjs" */
/** @import { CardData } from "../../components/head_card/view.mjs" */
/** @import { StripData } from "../../components/token_strip/words.mjs" */
/** @import { Contents as Chart } from "./plots.mjs" */
/** @import { Reading } from "./site/readings.mjs" */
/** @import { DataTheme, Selection, SentenceFilter, Special } from "../../components/shared/types.mjs" */

/** @typedef {"tokens" | "heat map" | "head view" | "model view" | "neuron view" | "norms" | "predictions" | "why" | "why here" | "routes" | "word lens"} ViewName */

/**
 * A view of the page, and the text under it.
 * @typedef {{ name: ViewName, title: string }} ViewWords
 */

/**
 * One attention of a run that has several, such as that of a decoder to its source: a block of the square of all units.
 * @typedef {{ title: string, sentences: SentenceFilter, removed: string }} Part
 */

/**
 * One run of a model.
 * @typedef {object} RunContents
 * @property {string} name which is unique on the page
 * @property {string} place "pair", "A", "B" or "decoder"
 * @property {string} heading "" if the page has one run
 * @property {string[]} texts whose pins the run shows
 * @property {Special} special
 * @property {number[]} layers that the page has
 * @property {number[] | null} heads of the map; null for all
 * @property {string} attention id of the layers' messages
 * @property {string | null} neurons the same of queries and keys
 * @property {string} map id of the map's messages, to which a part's place is added
 * @property {boolean} pair whether the part of a pair can be chosen
 * @property {Part[]} parts none if the run has one attention
 * @property {ViewName[]} answers views rendered as answers, each in a template
 * @property {Cuts | null} cuts if links can be cut, which takes a model
 * @property {StripData} [strip] its tokens, on a page that runs a model
 */

/**
 * @typedef {object} Contents
 * @property {string | Node} headline what is seen, in one sentence, or else what was read
 * @property {string[]} sentences below the headline, each with its letter
 * @property {string[]} about the model and its run, in full sentences
 * @property {string[]} notes on the file and its numbers, which are folded
 * @property {ViewWords[]} views
 * @property {ViewName[]} together views that are about all runs, each in a template
 * @property {ViewName} view that is open first
 * @property {Selection} selection
 * @property {"auto" | "light" | "dark"} theme
 * @property {Record<"light" | "dark", DataTheme>} themes
 * @property {boolean} beside whether the runs stand side by side on a wide page
 * @property {RunContents[]} runs
 * @property {SiteFacts} [site] of a page that runs a model
 * @property {boolean} [linked] whether the page shares its selection with the page that shows it in a frame
 * @property {string} [setting] of the runs, where a view is explained in another way: "pair" or "hide"
 */

/** @typedef {Record<string, string>} Link the values of a link by the names of its parameters */

/**
 * A parameter of a link.
 * @typedef {object} Field
 * @property {string} name
 * @property {string} pattern of the values that the page has, as a regular expression
 * @property {string} title of one whose other values are reported; "" if they are ignored
 * @property {string} initial the value that a link without it has on this page
 * @property {string | null} omitted the value that no link needs to say
 */

/**
 * Two texts to start from; `question` and `answer` say what one sees, "" if that was not checked on the page's model.
 * `word` is that of the word lens.
 * @typedef {{ question: string, answer: string, word: string, link: Link }} SiteExample
 */

/** @typedef {{ number: number, step: string, model: string, about: string[], cards?: null }} TrainingStep of a model: the facts that it changes */

/**
 * What a page knows of a model's encoder.
 * @typedef {object} ModelFacts
 * @property {number} layers @property {number} heads @property {number} width
 * @property {number} shard rows of a file of the table of words
 * @property {string} step folder of the parts at a step of the training; "" for the last
 */

/**
 * What it knows of the model's files, which are compressed.
 * @typedef {object} FilesFacts
 * @property {string} folder which is named after its contents, so that a file never changes
 * @property {string} runtime the file of the code that runs the model
 * @property {Record<string, number>} sizes of the files in bytes, by name
 */

/**
 * What it knows of the model's vocabulary.
 * @typedef {object} VocabularyFacts
 * @property {number} longest text, in tokens
 * @property {number[]} frame ids of special tokens such as [CLS] and [SEP]
 * @property {string} literal pattern of tokens that can be typed as they are spelled, such as [MASK]
 * @property {Record<string, string>} visible labels of pieces, by their ids, that are not shown as they are spelled
 */

/**
 * The layout of an axis of tokens, in pixels.
 * @typedef {object} AxisLayout
 * @property {number} limit characters of a label @property {number} font @property {number} edge
 * @property {number} room of all tokens together
 * @property {number} largest cell @property {number} smallest with a label of its own @property {number} slanted from which on labels are slanted
 * @property {number} named_every between labels, where not all cells have one
 * @property {number} all_named tokens up to which each has a label
 * @property {number} bar_width of the colours @property {number} bar_share the same as a share of all cells
 * @property {number} left of bars
 */

/**
 * The answers of a model's views, with references to a text's values (`viz/site/templates.py`).
 * @typedef {{ html: any, charts: any, words: any }} Template
 * @typedef {{ html: string, charts: Record<string, Chart>, words: Record<string, string>, reading?: Reading, changes?: Record<string, string> }} Filled
 *   with the rows of a text and the titles of its changes
 * @typedef {object} Templates
 * @property {{ html: string[], changes: Record<string, string>, losses: Record<string, [string, string]> }} tokens without
 *   and with unknown words, and what happens to characters
 * @property {AxisLayout} axis @property {Template} norms @property {Template} [predictions]
 * @property {Record<"answer" | "absent" | "missing", Template>} lens
 * @property {{ answer: Template, missing: Template, most: number, mask: number, box: Record<"limit" | "size" | "least" | "padding" | "gap" | "room" | "pitch", number> }} [why]
 *   with the most tokens of a text, the id of the token in place of a word's, and the layout of words
 * @property {any} [tags] of a text's words
 */

/**
 * What a page knows of the model that it runs, of its own links, and of its first texts.
 * @typedef {ModelFacts & FilesFacts & VocabularyFacts & {
 *   model: string, about: string[], measures: string[], cards: CardData | null, training: TrainingStep[], number?: number,
 *   fields: Field[], examples: SiteExample[], seen: Record<ViewName, Seen>,
 *   runs: Record<string, RunContents>, strips: StripData[], chosen: number[],
 *   worker: string, others: string[], unloaded: Record<number, { says: string, load: string }>, most_beside: number,
 * }} SiteFacts `seen` by presentation mode, `runs` of typed texts by their place, `others` are files that are neither the page's
 *   nor the model's, `unloaded` by how many layers are loaded
 */

/**
 * An interactive view.
 * @typedef {object} LivePicture
 * @property {ViewName} view
 * @property {number[]} runs their numbers among the runs of the slides
 * @property {Selection} selection with what the stop points at
 * @property {number} part the attention that is shown, of a run that has several
 * @property {number | null} until the first unit that is not written yet; null if all are shown
 * @property {[row: number, column: number][]} marks cells that are outlined
 * @property {string} marks_name what they are
 * @property {Quantity | null} quantity shown instead of weights
 * @property {Follows[]} follows how each run follows the selection, if they are of several models; else empty
 */

/**
 * @typedef {object} SlideContents
 * @property {string} title
 * @property {boolean} asks whether a question is shown first
 * @property {boolean} reveals_picture whether the pictures are hidden until the answer is shown
 * @property {LivePicture | null} picture
 */

/**
 * @typedef {object} SlidesContents
 * @property {string} title
 * @property {Record<"light" | "dark", DataTheme>} themes
 * @property {RunContents[]} runs
 * @property {SlideContents[]} slides
 */

export {};
