// The list of topics: filtered, sorted, and shown in slices so that a thousand are there at once.

import { append, h, refill } from "./dom.js";
import { chip, share } from "./parts.js";
import { count, counted, firstWords, topicName } from "./text.js";

const FIRST = 60; // rows that are there before the page is painted
const SLICE = 200; // rows that follow at a time, when the browser has rest
const MANY = 200; // topics from which rows out of sight are not laid out
const WORTH_SAYING = 100; // words left out; the row of a dense model would say thousands each time

const ORDERS = {
  share: ["Share", (a, b) => b.share - a.share],
  name: ["Name", (a, b) => topicName(a).localeCompare(topicName(b))],
  words: ["Number of words", (a, b) => b.n_words - a.n_words],
  fitted: ["As fitted", (a, b) => a.topic - b.topic],
};

/** The section with all topics of the overview. */
export function topicList(context) {
  return new TopicList(context).section;
}

class TopicList {
  constructor(context) {
    const { topics } = context.overview;
    this.context = context;
    this.most = Math.max(...topics.map((topic) => topic.share), 0);
    this.entries = topics.map((topic) => ({ topic, row: null, text: searched(topic) }));
    this.round = 0;
    this.build();
    this.arrange();
  }

  build() {
    const { query } = this.context;
    const again = () => this.arrange();
    this.filter = h("input", {
      type: "search", value: query.get("filter") ?? "", placeholder: "Name or word", autocomplete: "off",
      dir: "auto", oninput: again,
    });
    this.order = h("select", { onchange: again }, Object.entries(ORDERS).map(([value, [label]]) =>
      h("option", { value, selected: value === query.get("sort") }, label)));
    this.status = h("p", { class: "about", role: "status" });
    this.list = h("ol", { class: this.entries.length > MANY ? "topic-list many" : "topic-list" });
    this.hidden = h("div", null);
    this.section = h("section", { "aria-labelledby": "all-topics" },
      h("div", { class: "list-head" },
        h("h2", { id: "all-topics" }, "Topics"), field("Filter", this.filter), field("Sort", this.order)),
      this.status, this.list, this.hidden);
  }

  /** Show what the filter finds in the order asked for. */
  arrange() {
    const wanted = this.filter.value.trim().toLowerCase();
    const [, compare] = ORDERS[this.order.value];
    const found = this.entries.filter((entry) => entry.text.includes(wanted));
    found.sort((a, b) => compare(a.topic, b.topic));
    this.fill(found.filter((entry) => !entry.topic.hidden));
    refill(this.hidden, this.folded(found.filter((entry) => entry.topic.hidden)));
    this.status.textContent = wanted ? `${count(found.length)} of ${counted(this.entries.length, "topic")}` : "";
    this.context.keep({ filter: wanted || null, sort: this.order.value === "share" ? null : this.order.value });
  }

  /** The first rows at once, the rest in pauses; all when the reader comes back to a place further down. */
  fill(entries) {
    const round = (this.round += 1);
    const first = this.context.back ? entries.length : FIRST;
    refill(this.list, this.rows(entries.slice(0, first)));
    const more = (from) => {
      if (round !== this.round || from >= entries.length) return;
      append(this.list, this.rows(entries.slice(from, from + SLICE)));
      later(() => more(from + SLICE));
    };
    later(() => more(first));
  }

  rows(entries) {
    return entries.map((entry) => (entry.row ??= topicRow(entry.topic, this.most)));
  }

  folded(entries) {
    if (!entries.length) return null;
    const inside = h("ol", { class: "topic-list" }, this.rows(entries));
    const summary = h("summary", null, counted(entries.length, "hidden topic"));
    return h("details", { class: "hidden-topics" }, summary, inside);
  }
}

function field(name, control) {
  return h("label", { class: "inline-field" }, h("span", null, name), control);
}

/** What the filter looks at. */
function searched(topic) {
  return [topic.name ?? "", ...topic.words.map(([word]) => word)].join("\n").toLowerCase();
}

/** One topic: its share, its name, and its words with lines as dark as they are strong. */
function topicRow(topic, most) {
  const strongest = Math.max(...topic.words.map(([, weight]) => Math.abs(weight)), 0) || 1;
  const chipOf = ([word, weight]) => chip(word, Math.abs(weight) / strongest, { negative: weight < 0 });
  const naming = topic.name ? [] : firstWords(topic);
  const first = topic.words.filter(([word]) => naming.includes(word)).map(chipOf);
  const others = topic.words.filter(([word]) => !naming.includes(word)).map(chipOf);
  return h("li", { class: "topic-row", "data-topic": topic.topic },
    share(topic.share, most),
    h("div", { class: "told" },
      topic.name ? nameLink(topic, topic.name) : null,
      h("div", { class: "chips" },
        topic.name ? null : nameLink(topic, spaced(first)), " ",
        spaced(others), tail(topic.n_words - topic.words.length)),
      topic.note ? h("p", { class: "note", dir: "auto" }, topic.note) : null));
}

/** Spaces between words: the layout needs none, but who hears or copies them does. */
function spaced(chips) {
  return chips.flatMap((each) => [each, " "]);
}

function nameLink(topic, children) {
  const attributes = { class: "name", href: `/topics/${topic.topic}`, dir: "auto" };
  return h("a", attributes, children.length ? children : topicName(topic));
}

/** How many words are not shown, where they are few enough to be of note. */
function tail(more) {
  return more > 0 && more <= WORTH_SAYING ? h("span", { class: "about" }, `and ${count(more)} more`) : null;
}

function later(work) {
  if (window.requestIdleCallback) window.requestIdleCallback(work, { timeout: 500 });
  else setTimeout(work, 16);
}
