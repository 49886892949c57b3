// Fit charts to the width of their container and to the fonts of this browser, so that text keeps its
// size, charts do not scroll sideways, and no label is wider than the space reserved for it.

import { get } from "./api.js";

const FITTED = new Set(["map", "graph", "words", "convergence"]); // charts whose layout depends on the width
const NARROWEST = 240; // minimum width of a chart in pixels
const NATURAL = 820; // from this container width in pixels on, a chart has its natural width, which the server has prepared
const GROWING = new Set(["words"]); // charts that use the full width of a wide container, up to WIDEST pixels
const WIDEST = 1200;
const STEP = 20; // widths are rounded to multiples of this number of pixels, so that few versions of a chart are drawn
const LETTERS = { least: 100, most: 200, step: 5 }; // text width in percent of the width in Helvetica
const HINTED = 1; // tolerance in percent, because hinting can make even Arial wider than Helvetica
const RESIZE_DELAY = 200; // milliseconds without a change of width before a chart is drawn again

/** Return the layout parameters for the request of a chart; empty if the layout does not depend on them. */
export async function layoutParams(name, width) {
  if (!FITTED.has(name)) return {};
  return { width, letters: relativeTextWidth(await get("/api/letters")) };
}

/** Return the largest width of the sample texts in this browser, in percent of their width in Helvetica. */
function relativeTextWidth({ font, texts }) {
  const canvas = document.createElement("canvas").getContext("2d");
  canvas.font = font;
  const ratio = Math.max(...texts.map(([text, width]) => canvas.measureText(text).width / width));
  const percent = Math.ceil((100 * ratio - HINTED) / LETTERS.step) * LETTERS.step;
  return Math.min(Math.max(percent || 0, LETTERS.least), LETTERS.most);
}

/** Return the width of the chart to request; null means the natural width. */
export function widthFor(name, container) {
  const width = Math.min(WIDEST, Math.max(NARROWEST, Math.floor(container.clientWidth / STEP) * STEP));
  return GROWING.has(name) || (FITTED.has(name) && width < NATURAL) ? width : null;
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
