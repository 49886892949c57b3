// What a word of a text is marked with: the colour of its topic and how strong a keyword it is.

import { h } from "../../dom.js";

const LETTERS = "ABCDEFG";
const STEPS = 4;
// A word that has less than this of a topic is not counted among the words of the topic.
const NOTEWORTHY = 0.15;

/** The letter that stands for a colour where colour alone would not do. */
export const letterOf = (colour) => LETTERS[colour ?? -1] ?? "";

/** The topic that a word's code gives most, as [topic, share], or undefined. */
export function strongest(code) {
  return code.reduce(
    (best, pair) => (best === undefined || Math.abs(pair[1]) > Math.abs(best[1]) ? pair : best),
    undefined,
  );
}

/** Strength of a keyword in steps from 1 to 4; 0 for other words. */
export function stepOf(strength) {
  if (strength === null || strength === undefined) return 0;
  return Math.min(STEPS, Math.max(1, Math.ceil(strength * STEPS)));
}

/** An element that is cloned wherever the word stands in the text. */
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

/** The words that belong to a topic enough to be lit with it. */
export function wordsOfTopic(words, topic) {
  const belongs = ({ topics }) =>
    topics.some(([k, share]) => k === topic && Math.abs(share) >= NOTEWORTHY) ||
    strongest(topics)?.[0] === topic;
  return new Set(words.filter(belongs).map(({ word }) => word));
}

/** Four small bars, as many of them filled as the keyword has steps. */
export function meter(strength) {
  const step = stepOf(strength);
  const bars = Array.from({ length: STEPS }, (_, i) =>
    h("span", { class: i < step ? "on" : "off" }),
  );
  const label = `strength ${step} of ${STEPS}`;
  return h("span", { class: "meter", role: "img", "aria-label": label }, bars);
}
