// Two models side by side: their topics in pairs, starting with the most similar pair, and their figures.

import { get } from "../api.js";
import { h, refill } from "../dom.js";
import { bar, topicLink } from "../parts.js";
import { counted, percent, topicName } from "../text.js";

/** Show the comparison of two models. */
export async function show(context) {
  const data = await get("/api/compare");
  const [left, right] = data.models;
  context.title(`${left.title} and ${right.title}`);
  return [
    h("h1", { dir: "auto" }, h("bdi", null, left.title), " and ", h("bdi", null, right.title)),
    h("p", { class: "lede" }, summary(data)),
    h("ul", { class: "model-facts" }, data.models.map(factsOf)),
    pairsOf(data, context),
    figures(data.models),
  ];
}

function summary({ pairs, mean_likeness: mean }) {
  const matched = pairs.filter(({ left, right }) => left && right).length;
  const similarity = mean === null ? "" : ` Mean similarity of their words: ${percent(mean)}.`;
  return `${counted(matched, "pair")} of topics, matched one to one.${similarity}`;
}

/** One line about a model: "docs.model: SparseCoding, 40 topics, 27 words per topic". */
function factsOf({ title, class: kind, n_topics: topics, figures: [[label, value]] }) {
  return h("li", null, h("b", null, h("bdi", null, title)), `: ${kind}, ${counted(topics, "topic")}, ${value} ${label}`);
}

function figures(models) {
  const [left, right] = models.map(({ figures: each }) => new Map(each.map(([label, ...rest]) => [label, rest])));
  const rows = [...new Set([...left.keys(), ...right.keys()])].map((label) => {
    const [a = "–", about] = left.get(label) ?? [];
    const [b = "–", other] = right.get(label) ?? [];
    return figureRow(label, a, b, about ?? other);
  });
  const heads = models.map(({ title }) => h("th", { scope: "col", class: "number", dir: "auto" }, title));
  return h("section", null,
    h("h2", null, "About the models"),
    h("table", { class: "table side-by-side" },
      h("thead", null, h("tr", null, h("td"), heads, h("td"))),
      h("tbody", null, figureRow("model", models[0].class, models[1].class, ""), rows)));
}

function figureRow(label, left, right, about) {
  return h(
    "tr",
    null,
    h("th", { scope: "row" }, label),
    h("td", { class: "number" }, left),
    h("td", { class: "number" }, right),
    h("td", { class: "about" }, about),
  );
}

function pairsOf({ pairs, models }, context) {
  const list = h("ol", { class: "pairs" });
  const status = h("p", { class: "about", role: "status" });
  const rows = pairs.map((pair) => ({ node: pairOf(pair, models), text: textOf(pair) }));
  const filter = (word) => {
    const matches = rows.filter(({ text }) => text.includes(word.trim().toLowerCase()));
    refill(list, matches.map(({ node }) => node));
    status.textContent = word.trim() ? `${matches.length} of ${pairs.length} pairs` : "";
  };
  const input = h("input", { type: "search", value: context.query.get("word") ?? "", dir: "auto", autocomplete: "off" });
  input.addEventListener("input", () => {
    filter(input.value);
    context.keep({ word: input.value.trim() });
  });
  filter(input.value);
  const field = h("label", { class: "field" }, h("span", null, "Filter by word"), input);
  const top = h("div", { class: "filter" }, h("h2", null, "Matched topics"), status, field);
  return h("section", null, top, heads(models), list);
}

function heads([left, right]) {
  const only = (title) => h("span", { dir: "auto" }, `only in ${title}`);
  const both = h("span", { class: "middle" }, "in both");
  return h("div", { class: "pair heads", "aria-hidden": "true" }, only(left.title), both, only(right.title));
}

/** Return the text of a pair of topics in which the filter searches. */
function textOf({ left, right, both, left_only: onlyLeft, right_only: onlyRight }) {
  const names = [left, right].filter(Boolean).flatMap((topic) => [topicName(topic), ...topic.words]);
  return [...names, ...both, ...onlyLeft, ...onlyRight].join(" ").toLowerCase();
}

function pairOf(pair, [first, second]) {
  const { left, right, left_only: onlyLeft, right_only: onlyRight } = pair;
  const leftName = left ? topicLink(left) : null;
  const rightName = right ? h("span", { dir: "auto" }, topicName(right)) : null;
  return h(
    "li",
    { class: left && right ? "pair" : "pair alone", "data-left": left?.topic, "data-right": right?.topic },
    sideOf(leftName, onlyLeft, first.title),
    middleOf(pair),
    sideOf(rightName, onlyRight, second.title),
  );
}

function sideOf(name, words, model) {
  if (name === null) return h("div", { class: "quiet side-none" }, h("p", null, "no match"));
  return h(
    "div",
    null,
    h("h3", null, name),
    h("p", { class: "side", dir: "auto" }, `only in ${model}`),
    words.length ? h("p", { class: "loose only" }, words.map((word) => h("bdi", null, word))) : null,
  );
}

function middleOf({ likeness, both }) {
  if (likeness === null) return h("div", { class: "middle" });
  return h(
    "div",
    { class: "middle" },
    h("p", { class: "likeness" }, h("span", { class: "number" }, `${percent(likeness)} similar`), bar(likeness, { negative: likeness < 0 })),
    h("p", { class: "loose both" }, both.map((word) => h("bdi", null, word))),
  );
}
