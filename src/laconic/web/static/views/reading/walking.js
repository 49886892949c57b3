// One stop of the Tab key in a text: the arrow keys walk on from word to word.

const MARK = "[data-word]";

/** Lets the keyboard walk through the marked words; gives the function that goes to a word. */
export function walkThrough(text) {
  const words = [...text.querySelectorAll(MARK)];
  let here = null;

  // Only the word that Tab stops at is a button: to a screen reader the rest stays a text to read.
  function settle(word) {
    here?.removeAttribute("tabindex");
    here?.removeAttribute("role");
    here = word;
    here.setAttribute("tabindex", "0");
    here.setAttribute("role", "button");
  }

  function goTo(word, options) {
    settle(word);
    here.focus(options);
  }
  if (words.length) settle(words[0]);

  text.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== here) return;
    const next = nextWord(words, here, event.key, getComputedStyle(here).direction);
    if (next === undefined) return;
    event.preventDefault();
    goTo(next);
  });
  return goTo;
}

function nextWord(words, here, key, direction) {
  const at = words.indexOf(here);
  const forward = direction === "rtl" ? "ArrowLeft" : "ArrowRight";
  const back = direction === "rtl" ? "ArrowRight" : "ArrowLeft";
  if (key === forward) return words[at + 1];
  if (key === back) return words[at - 1];
  if (key === "ArrowDown") return onNextLine(words, at, 1);
  if (key === "ArrowUp") return onNextLine(words, at, -1);
  if (key === "Home") return words[0];
  if (key === "End") return words.at(-1);
  return undefined;
}

/** The word above or below: on the nearest other line, the one closest to this place. */
function onNextLine(words, at, step) {
  const start = words[at].getBoundingClientRect();
  let line = null;
  let best;
  for (let i = at + step; i >= 0 && i < words.length; i += step) {
    const place = words[i].getBoundingClientRect();
    if (sameLine(place, start)) continue;
    line ??= place;
    if (!sameLine(place, line)) break;
    const away = Math.abs(place.left - start.left);
    if (best === undefined || away < best.away) best = { word: words[i], away };
  }
  return best?.word;
}

const sameLine = (a, b) => Math.abs(a.top - b.top) < a.height / 2;
