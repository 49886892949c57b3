// A row of the list of topics: number, name, further words, marks, and share.

import { h } from "./dom.js";
import { bar } from "./parts.js";
import { sparkline } from "./sparkline.js";
import { FEW_DOCUMENTS, count, counted, firstWords, givenName, percent, STABILITY, stabilityText, topicName } from "./text.js";

/** Create the row of a topic; `most` is the largest share. */
export function topicRow(topic, { most, overview }) {
  return h("li", { class: "topic-row", "data-topic": topic.topic, "data-group": topic.group },
    h("span", { class: "topic-number number", title: "number of the topic" }, String(topic.topic)),
    h("div", { class: "told" },
      h("a", { class: "name", href: `/topics/${topic.topic}`, dir: "auto" }, topicName(topic)),
      h("p", { class: "more-words", dir: "auto" }, marksOf(topic, overview), furtherWords(topic))),
    h("span", { class: "spread" }, sparkline(topic, overview)),
    h("span", { class: "amount" },
      h("span", { class: "number" }, percent(topic.share)),
      bar(most > 0 ? topic.share / most : 0, { negative: topic.share < 0 }),
      topic.n_documents === null ? null
        : h("span", { class: "about number", title: "documents in which the topic has a positive weight" },
          count(topic.n_documents), " doc", h("span", { class: "wide-name" }, "ument"), topic.n_documents === 1 ? "" : "s"),
      stabilityOf(topic)));
}

/** How well refits find the topic again, if it was measured. */
function stabilityOf({ stability }) {
  return stability === null ? null : h("span", { class: "about number", title: STABILITY }, stabilityText(stability));
}

/** The words that are not part of the name; words with a negative weight have a minus sign. */
function furtherWords(topic) {
  const naming = givenName(topic) ? [] : firstWords(topic);
  const words = topic.words.filter(([word]) => !naming.includes(word));
  return words.flatMap(([word, weight], n) => [n ? " " : "",
    h("span", { class: weight < 0 ? "chip negative" : "chip" }, weight < 0 ? h("span", { class: "minus" }, "−") : null, h("bdi", null, word))]);
}

/** Marks of topics that a reader should check first. */
function marksOf(topic, { topics }) {
  const other = topic.like === null ? null : topics.find((each) => each.topic === topic.like);
  return [
    topic.weak ? h("span", { class: "badge", title: `This topic is ${FEW_DOCUMENTS}.` }, "few documents") : null,
    other ? h("span", { class: "badge", dir: "auto", title: `Most of its words are also in ${topicName(other)}.` },
      "much like ", h("bdi", null, givenName(other) ?? firstWords(other, 2).join(", "))) : null,
    topic.note ? h("span", { class: "badge note-badge", dir: "auto", title: topic.note }, shortened(topic.note)) : null,
  ];
}

const LONGEST_NOTE = 40;
const shortened = (note) => (note.length <= LONGEST_NOTE ? note : `${note.slice(0, LONGEST_NOTE - 1)}…`);

/** Mark the words that match the filter; if the matching word is not in the row, add it. */
export function markRow(row, filter, further) {
  row.querySelector(".further")?.remove();
  for (const each of row.querySelectorAll(".chip, .name")) {
    each.classList.toggle("asked", Boolean(filter) && each.textContent.toLowerCase().includes(filter));
  }
  if (!further) return;
  const [word] = further;
  row.querySelector(".more-words").prepend(
    h("span", { class: "further" }, h("span", { class: "chip asked", dir: "auto" }, word), " "));
}

/** Say how many topics need attention: "3 topics have few documents." */
export function attention({ topics }) {
  const weak = topics.filter(({ weak: few, hidden }) => few && !hidden).length;
  const alike = topics.filter(({ like, hidden }) => like !== null && !hidden).length;
  const parts = [
    weak ? `${counted(weak, "topic has", "topics have")} few documents` : null,
    alike ? `${counted(alike, "topic is", "topics are")} much like a larger one` : null,
  ].filter(Boolean);
  return parts.length ? `${parts.join("; ")}.` : null;
}
