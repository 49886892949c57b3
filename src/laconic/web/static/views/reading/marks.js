// Marks of words in a text: the colour shows the topic, and bold type shows the strength as a keyword.

import { h } from "../../dom.js";

const LETTERS = "ABCDEFG";
const STEPS = 4;
// A word is highlighted together with a topic if the topic's share in the word is at least this value.
const LEAST_SHARE = 0.15;

/** Return the letter that stands for a colour, for readers who cannot distinguish the colours. */
export const letterOf = (colour) => LETTERS[colour ?? -1] ?? "";

/** Return the strongest topic of a word as [topic, share], or undefined. */
export function strongest(code) {
  return code.reduce(
    (best, pair) => (best === undefined || Math.abs(pair[1]) > Math.abs(best[1]) ? pair : best),
    undefined,
  );
}

/** Return the strength of a keyword as a level from 1 to 4; 0 for words that are not keywords. */
export function stepOf(strength) {
  if (strength === null || strength === undefined) return 0;
  return Math.min(STEPS, Math.max(1, Math.ceil(strength * STEPS)));
}

/** Create the element that is cloned for each occurrence of a word in the text. */
export function markOf(word, colours) {
  const [topic, share] = strongest(word.topics) ?? [null, 0];
  const colour = colours.get(topic) ?? null;
  const mark = h("span", { class: "w", "data-word": word.word });
  if (colour !== null) {
    mark.dataset.colour = colour;
    mark.dataset.letter = letterOf(colour);
  } else if (topic !== null) mark.classList.add("faint");
  if (share < 0) mark.classList.add("against");
  if (word.keyword !== null) mark.dataset.keyword = stepOf(word.keyword);
  return mark;
}

/** Return the words that are highlighted together with a topic. */
export function wordsOfTopic(words, topic) {
  const belongs = ({ topics }) =>
    topics.some(([k, share]) => k === topic && Math.abs(share) >= LEAST_SHARE) ||
    strongest(topics)?.[0] === topic;
  return new Set(words.filter(belongs).map(({ word }) => word));
}

/** Show the strength of a keyword as four small bars. */
export function meter(strength) {
  const step = stepOf(strength);
  const bars = Array.from({ length: STEPS }, (_, i) =>
    h("span", { class: i < step ? "on" : "off" }),
  );
  const label = `strength ${step} of ${STEPS}`;
  return h("span", { class: "meter", role: "img", "aria-label": label }, bars);
}
