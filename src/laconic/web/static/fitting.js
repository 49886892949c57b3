// Fit charts to the width of their container and to the fonts of this browser: text keeps its size,
// nothing scrolls sideways, and no label is wider than its space.

import { get } from "./api.js";

const FITTED = new Set(["map", "graph", "words", "convergence"]); // charts whose layout depends on the width
const NARROWEST = 240; // minimum width in pixels
const WIDEST = 820; // pixels; from this width on, a chart has its natural width, which the server has prepared
const STEP = 20; // pixels; rounding widths keeps the number of versions of a chart small
const LETTERS = { least: 100, most: 200, step: 5 }; // percent of the text width in Helvetica
const HINTED = 1; // percent by which even Arial may be wider than Helvetica, if hinting moves letters to whole pixels
const RESIZE_DELAY = 200; // milliseconds without a change of width before a chart is drawn again

/** Return the layout parameters to request for a chart; empty if the chart does not depend on them. */
export async function layoutParams(name, width) {
  if (!FITTED.has(name)) return {};
  return { width, letters: relativeTextWidth(await get("/api/letters")) };
}

/** Return the width of chart texts in this browser, in percent of Helvetica; the maximum over sample texts. */
function relativeTextWidth({ font, texts }) {
  const canvas = document.createElement("canvas").getContext("2d");
  canvas.font = font;
  const ratio = Math.max(...texts.map(([text, width]) => canvas.measureText(text).width / width));
  const percent = Math.ceil((100 * ratio - HINTED) / LETTERS.step) * LETTERS.step;
  return Math.min(Math.max(percent || 0, LETTERS.least), LETTERS.most);
}

/** Return the width to request for a chart; null for the natural width. */
export function widthFor(name, container) {
  const width = Math.max(NARROWEST, Math.floor(container.clientWidth / STEP) * STEP);
  return FITTED.has(name) && width < WIDEST ? width : null;
}

/** Draw a chart again when the width of its container changes, for example when a phone is turned. */
export function refit(name, container, width, signal, specFor, chart) {
  let timer = null;
  const redraw = async () => {
    if (!container.clientWidth || widthFor(name, container) === width) return;
    const requested = (width = widthFor(name, container));
    const spec = await specFor(requested).catch(() => null); // keep the old chart on an error
    if (spec && requested === width && !signal.aborted) await chart.show(spec);
  };
  const observer = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(redraw, RESIZE_DELAY);
  });
  observer.observe(container);
  signal.addEventListener("abort", () => { clearTimeout(timer); observer.disconnect(); });
}
