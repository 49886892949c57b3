// Charts made for the width of their place and of the letters of this browser: letters keep their
// size, nothing scrolls sideways, and no name is wider than its place.

import { get } from "./api.js";

const FITTED = new Set(["map", "graph", "words", "convergence"]); // those that can be
const NARROWEST = 240; // pixels
const WIDEST = 820; // from here on a chart is as wide as it likes, which the server has ready
const STEP = 20; // few widths, each of which is drawn once
const LETTERS = { least: 100, most: 200, step: 5 }; // percent of the width that the server counts on
const HINTED = 1; // percent that Arial itself may be wider, where letters are moved to whole pixels
const REST = 200; // milliseconds without a change of width before a chart is made anew

/** What a chart is to be made for; nothing where it makes no difference. */
export async function measures(name, width) {
  if (!FITTED.has(name)) return {};
  return { width, letters: wideness(await get("/api/letters")) };
}

/** How wide the font of charts is here: the most that any of some texts is wider than in Helvetica. */
function wideness({ font, texts }) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = font;
  const most = Math.max(...texts.map(([text, width]) => pen.measureText(text).width / width));
  const percent = Math.ceil((100 * most - HINTED) / LETTERS.step) * LETTERS.step;
  return Math.min(Math.max(percent || 0, LETTERS.least), LETTERS.most);
}

/** The width for which to ask for a chart; null where there is plenty, or where it makes no difference. */
export function widthFor(name, place) {
  const width = Math.max(NARROWEST, Math.floor(place.clientWidth / STEP) * STEP);
  return FITTED.has(name) && width < WIDEST ? width : null;
}

/** Make a chart anew when its place has got another width, such as that of a phone that was turned. */
export function refit(name, place, width, signal, specFor, chart) {
  let timer = null;
  const look = async () => {
    if (!place.clientWidth || widthFor(name, place) === width) return;
    const asked = (width = widthFor(name, place));
    const spec = await specFor(asked).catch(() => null); // then the chart that is there stays
    if (spec && asked === width && !signal.aborted) await chart.show(spec);
  };
  const observer = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(look, REST);
  });
  observer.observe(place);
  signal.addEventListener("abort", () => { clearTimeout(timer); observer.disconnect(); });
}
