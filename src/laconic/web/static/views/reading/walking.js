// Keyboard navigation in a text: the Tab key reaches the text, and the arrow keys move from word to word.

const MARK = "[data-word]";

/** Add keyboard navigation to the marked words; return a function that moves to a word. */
export function walkThrough(text) {
  const words = [...text.querySelectorAll(MARK)];
  let here = null;

  // Only the current word is a button, so that screen readers read the other words as plain text.
  function setCurrent(word) {
    here?.removeAttribute("tabindex");
    here?.removeAttribute("role");
    here = word;
    here.setAttribute("tabindex", "0");
    here.setAttribute("role", "button");
  }

  function goTo(word, options) {
    setCurrent(word);
    here.focus(options);
  }
  if (words.length) setCurrent(words[0]);

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

/** Return the word above or below the current word: the horizontally closest word of that line. */
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
