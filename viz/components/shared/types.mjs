// Types that several modules share. Nothing in here runs; other files name these types with `@import`.

/** @import { Cuts } from "../cell_map/cuts.mjs" */
/** @import { Follows } from "./other_model.mjs" */
/** @import { Point } from "./points.mjs" */
/** @import { Quantity } from "./quantity.mjs" */

/**
 * Indices from the first one to before the second one.
 * @typedef {readonly [number, number]} Range
 */

/**
 * Which sentences the queries and the keys belong to, queries first.
 * @typedef {"all" | "A→A" | "A→B" | "B→A" | "B→B"} SentenceFilter
 */

/**
 * The owner of a selection: the pages of an encoder, of an encoder-decoder, or a slide.
 * @typedef {"encoder" | "decoder" | `slide ${string}`} Scope
 */

/**
 * How weights map to colours: linear from 0 to 1, by square root, or linear up to the largest in the picture; "auto"
 * depends on the length of the text.
 * @typedef {"auto" | "linear" | "root" | "largest"} ScaleChoice
 */

/**
 * A head by its layer and its number, or MEAN.
 * @typedef {{ layer: number, head: number }} Head
 */

/**
 * The selection that all views of a page share.
 * @typedef {object} Selection
 * @property {number} layer
 * @property {number} head MEAN stands for the mean over all heads
 * @property {string} heads of the head view: "" for `head` alone, "all", "none", or numbers such as "0.3"
 * @property {number} query position of the pinned query token, or NOTHING
 * @property {number} key position of the pinned key token, or NOTHING
 * @property {string} pinned_in the text that the pinned tokens belong to
 * @property {SentenceFilter} sentences
 * @property {ScaleChoice} scale of the heat map's colours
 * @property {readonly Point[]} [points] what a tour stop highlights
 */

/**
 * Changes that a view makes to the selection, or to fields that only Python reads.
 * @typedef {Partial<Selection> & {
 *   at_a?: number, at_b?: number, row?: number, column?: number, dimension?: number, view?: string, walk?: string,
 *   cut?: string,
 * }} SelectionChanges
 */

/**
 * Texts by the names of their fields: "a" and "b", or "source".
 * @typedef {Record<string, string>} Texts
 */

/**
 * Marks in a text; see `viz/payloads/text_marks.py`.
 * @typedef {{ read: string, cut: boolean, pieces: (readonly [number, number])[] }} Marks
 */

/**
 * Whether special tokens are shown, hidden, or hidden with the rows scaled to sum to 1 without them.
 * @typedef {"show" | "hide" | "renormalise"} Special
 */

/**
 * Stops of a Plotly colour scale: a share in [0, 1] and a colour "#RRGGBB".
 * @typedef {readonly (readonly [number, string])[]} ColourScale
 */

/**
 * Colours of data, from Python, for the page's theme.
 * @typedef {object} DataTheme
 * @property {readonly string[]} heads
 * @property {ColourScale} sequential
 * @property {ColourScale} diverging
 * @property {string} muted
 */

/**
 * Colours and font of the page, from its style sheet; `ring` is for a tour's highlights.
 * @typedef {Record<"text" | "background" | "raised" | "border" | "primary" | "ring" | "font", string>} Colours
 */

/**
 * A run that a view's run is compared with: the id of its layers, and the texts of its pins.
 * @typedef {{ id: string, texts: readonly string[] }} OtherRun
 */

/**
 * The data that Python sends to every view of a message.
 * @typedef {object} ViewData
 * @property {Scope} scope
 * @property {string} id of the message to render, or of the run whose layer to render
 * @property {number | null} [layers] how many layers there are; null if the message is not a layer
 * @property {readonly string[]} texts whose pins the view shows; a token pinned here gets the first
 * @property {SentenceFilter} [sentences] if fixed
 * @property {string} [heading] what tells the picture from its neighbours, "" for the only one; by default its sentence
 * @property {Special} special
 * @property {readonly number[]} [first_queries] queries that the neuron view may start with; the first shown one counts
 * @property {Follows} [follows] how it follows the page's selection, if it is a picture of another model
 * @property {string} [removed] name of the tensor of what hidden tokens receive; default "removed"
 * @property {Cuts} [cuts] if links can be cut
 * @property {DataTheme} theme
 */

/**
 * The callback of Streamlit that sends a value to Python.
 * @typedef {(name: string, value: unknown) => void} SetTriggerValue
 */

/**
 * The arguments of a component's default export.
 * @template Data
 * @typedef {object} MountArguments
 * @property {string} name of the component: "headlight." and its folder
 * @property {Data} data
 * @property {HTMLElement | ShadowRoot} parentElement
 * @property {SetTriggerValue} setTriggerValue
 */

/**
 * @template Values
 * @typedef {{ shape: number[], values: Values }} Tensor
 */

/**
 * One message from Python: arrays by name, and JSON extras.
 * @template Tensors
 * @template Extras
 * @typedef {{ tensors: Tensors, extras: Extras & { id: string } }} Message
 */

/**
 * The units of a text: its wordpieces or words.
 * @typedef {object} UnitExtras
 * @property {string[]} labels
 * @property {boolean[]} special
 * @property {number[][]} positions of each unit's tokens
 * @property {number | null} b_start sentence B's first unit; null without a second sentence
 */

/**
 * A layer's attention, (H, U, U) of `weights` as round(65535 · √w), or the planes of another quantity (`quantity.mjs`).
 * If tokens are hidden, another tensor holds what each query gives to them (`removed.mjs`). `sink`, (H, U), is what it
 * gives to the sink of a head, which is no token.
 * @typedef {Message<{ weights: Tensor<Uint16Array>, sink?: Tensor<Float32Array> }, LayerExtras>} LayerMessage
 * @typedef {UnitExtras & { letters: [string, string], numbers: number[], layer: number, quantity?: Quantity }} LayerExtras
 */

/**
 * @typedef {{ colour: string, alpha?: number, width?: number, bend?: number, dash?: readonly number[] }} LineStyle
 * @typedef {{ fill?: string, stroke?: string, alpha?: number, lineWidth?: number }} RectStyle
 * @typedef {{ colour: string, size?: number, align?: "start" | "center" | "end", weight?: number }} TextStyle
 */

/**
 * Renders a picture on a canvas or as SVG. Coordinates are CSS pixels.
 * @typedef {object} Painter
 * @property {(segments: ArrayLike<number>, style: LineStyle) => void} lines flat segments: x1, y1, x2, y2, and so on.
 *   `bend` makes them curves that leave both ends levelly, for that share of the way across; `dash` has the pixels of a
 *   dash and of the gap behind it.
 * @property {(x: number, y: number, width: number, height: number, style: RectStyle) => void} rect
 * @property {(x: number, y: number, text: string, style: TextStyle) => void} text `align` says which part of the text
 *   is at x; y is its middle.
 * @property {(x: number, y: number, degrees: number, draw: () => void) => void} turned what `draw` draws has its origin
 *   at x and y, and is turned.
 * @property {(image: HTMLCanvasElement, x: number, y: number, width: number, height: number) => void} image enlarged without
 *   smoothing.
 * @property {(x: number, y: number, width: number, height: number, draw: () => void) => void} clip
 */

/**
 * A picture that can be saved.
 * @typedef {object} Picture
 * @property {string} name of the file, without extension
 * @property {number} width in CSS pixels
 * @property {number} height in CSS pixels
 * @property {Colours} colours
 * @property {(painter: Painter) => void} draw
 */

/**
 * A picture's numbers as a table; the first cell of each row names it.
 * @typedef {{ caption: string, header: string[], rows: string[][] }} Table
 */

export {};
