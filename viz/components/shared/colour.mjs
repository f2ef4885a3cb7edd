// Colours of the page, and colour scales of numbers.
/** @import { ColourScale, Colours } from "./types.mjs" */

/**
 * Red, green and blue, each of 0 to 255.
 * @typedef {[number, number, number]} Channels
 */

/** The page's colours and font, as they are now. @param {Element} root @returns {Colours} */
export function coloursOf(root) {
  const style = getComputedStyle(root);
  /** @param {string} name */
  const colour = (name) => style.getPropertyValue(`--st-${name}`).trim();
  return {
    text: colour("text-color"),
    background: colour("background-color"),
    raised: colour("secondary-background-color"),
    border: colour("border-color"),
    primary: colour("primary-color"),
    ring: colour("red-color") || colour("primary-color"),
    font: style.fontFamily,
  };
}

/** The channels of "#RRGGBB". @param {string} colour @returns {Channels} */
export function channelsOf(colour) {
  const [red, green, blue] = [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
  return [red, green, blue];
}

/** Channels as "#rrggbb", which canvases read fastest. @param {Channels} channels */
export function hexOf(channels) {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** @type {Map<string, readonly Channels[]>} */
const ramps = new Map();

/**
 * A colour scale as equally spaced colours. Cached, because a map requests it for every head.
 * @param {ColourScale} scale @param {number} steps @returns {readonly Channels[]}
 */
export function ramp(scale, steps = 256) {
  const name = JSON.stringify([scale, steps]);
  const colours = ramps.get(name) ?? mixedRamp(scale, steps);
  ramps.set(name, colours);
  return colours;
}

/** @type {WeakMap<readonly Channels[], Uint32Array>} */
const pixelRamps = new WeakMap();

/**
 * A colour scale as 256 opaque pixels of an image: copying one takes a fifth of the time of copying channels.
 * @param {ColourScale} scale
 */
export function pixelRamp(scale) {
  const colours = ramp(scale);
  const kept = pixelRamps.get(colours);
  if (kept) return kept;
  const bytes = Uint8ClampedArray.from(colours.flatMap((channels) => [...channels, 255]));
  const pixels = new Uint32Array(bytes.buffer);
  pixelRamps.set(colours, pixels);
  return pixels;
}

/** @param {ColourScale} scale @param {number} steps @returns {Channels[]} */
function mixedRamp(scale, steps) {
  return Array.from({ length: steps }, (_, step) => {
    const position = step / (steps - 1);
    const next = Math.max(
      1,
      scale.findIndex(([stop]) => stop >= position),
    );
    const [[low, from], [high, to]] = [scale[next - 1], scale[next]];
    return mixed(channelsOf(from), channelsOf(to), (position - low) / (high - low));
  });
}

/** @param {Channels} from @param {Channels} to @param {number} share of `to` @returns {Channels} */
function mixed(from, to, share) {
  /** @param {number} index */
  const channel = (index) => Math.round(from[index] + (to[index] - from[index]) * share);
  return [channel(0), channel(1), channel(2)];
}

/**
 * Contrast of two colours "#RRGGBB", from 1 to 21 (WCAG 2.2, relative luminance).
 * @param {string} one @param {string} other
 */
export function contrastOf(one, other) {
  const [darker, lighter] = [luminanceOf(one), luminanceOf(other)].sort((low, high) => low - high);
  return (lighter + 0.05) / (darker + 0.05);
}

/** @param {string} colour */
function luminanceOf(colour) {
  const [red, green, blue] = channelsOf(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
