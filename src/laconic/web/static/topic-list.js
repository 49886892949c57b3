// The list of topics: filtered, sorted, and shown in slices so that a thousand are there at once.

import { get } from "./api.js";
import { append, h, refill } from "./dom.js";
import { chip, share, wordHref } from "./parts.js";
import { count, counted, firstWords, topicName } from "./text.js";

const FIRST = 60; // rows that are there before the page is painted
const SLICE = 200; // rows that follow at a time, when the browser has rest
const MANY = 200; // topics from which rows out of sight are not laid out
const PAUSE = 150; // milliseconds of rest in typing before the server is asked for words that are not here
const LONGEST = 200; // characters that it takes
const STRENGTH = "The darker the line below a word, the stronger it is.";
const WORTH_SAYING = 100; // words left out; the row of a dense model would say thousands each time

const ORDERS = {
  share: ["Share", (a, b) => b.share - a.share],
  name: ["Name", (a, b) => topicName(a).localeCompare(topicName(b))],
  words: ["Number of words", (a, b) => b.n_words - a.n_words],
  fitted: ["As fitted", (a, b) => a.topic - b.topic],
};

/** The section with all topics of the overview; what it finds is pointed out on the map. */
export function topicList(context, pointer) {
  return new TopicList(context, pointer).section;
}

class TopicList {
  constructor(context, pointer) {
    const { topics } = context.overview;
    this.context = context;
    this.pointer = pointer;
    this.asked = { wanted: "", words: new Map() }; // what the server knows of the words that are not here
    this.most = Math.max(...topics.map((topic) => topic.share), 0);
    this.entries = topics.map((topic) => ({ topic, row: null, text: searched(topic) }));
    this.round = 0;
    this.build();
    this.arrange();
    this.ask();
  }

  build() {
    const { query } = this.context;
    const again = () => this.arrange();
    this.filter = h("input", {
      type: "search", value: query.get("filter") ?? "", placeholder: "Name or word", autocomplete: "off",
      dir: "auto", oninput: () => { again(); this.later(); },
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
    this.follow();
  }

  /** Point out on the map the row under the pointer or with the focus. */
  follow() {
    const point = ({ target }) => {
      const row = target.closest(".topic-row");
      this.pointer.point(row ? Number(row.dataset.topic) : null);
    };
    const away = () => this.pointer.point(null);
    for (const [name, heed] of [["pointerover", point], ["focusin", point], ["pointerleave", away], ["focusout", away]]) {
      this.section.addEventListener(name, heed);
    }
  }

  get wanted() {
    return this.filter.value.trim().toLowerCase();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), PAUSE);
  }

  /** Ask the server for topics that have the word further down than what is here. */
  async ask() {
    const { wanted } = this;
    if (!wanted || wanted.length > LONGEST) return;
    const { topics } = await get("/api/topics", { having: wanted }).catch(() => ({ topics: [] }));
    if (wanted !== this.wanted || this.context.signal.aborted) return;
    this.asked = { wanted, words: new Map(topics) };
    this.arrange();
  }

  /** Show what the filter finds in the order asked for. */
  arrange() {
    const { wanted } = this;
    const [, compare] = ORDERS[this.order.value];
    const words = this.asked.wanted === wanted ? this.asked.words : new Map();
    const found = this.entries.filter(({ text, topic }) => text.includes(wanted) || words.has(topic.topic));
    found.sort((a, b) => compare(a.topic, b.topic));
    const mark = ({ row, text, topic }) => markRow(row, wanted, text.includes(wanted) ? null : words.get(topic.topic));
    this.fill(found.filter((entry) => !entry.topic.hidden), mark);
    refill(this.hidden, this.folded(found.filter((entry) => entry.topic.hidden), mark));
    this.tell(found.length);
    this.pointer.find(wanted ? found.map((entry) => entry.topic.topic) : null);
    this.context.keep({ filter: wanted || null, sort: this.order.value === "share" ? null : this.order.value });
  }

  /** What the list shows: how to read it, or how much of it the filter found, and where. */
  tell(found) {
    const asked = this.filter.value.trim();
    const { about_share: [first, ...rest] } = this.context.overview;
    if (!asked) return refill(this.status, `The share of a topic is ${first.toLowerCase()}${rest.join("")} ${STRENGTH}`);
    const where = "in the name or among the 100 strongest words";
    if (found) return refill(this.status, `${count(found)} of ${counted(this.entries.length, "topic")}, ${where}.`);
    return refill(this.status, `No topic has it ${where}. `, this.elsewhere(asked));
  }

  /** Where else what was asked for may be found. */
  elsewhere(asked) {
    const word = h("a", { href: wordHref(asked) }, "See the word");
    if (!this.context.overview.has.search) return [word, "."];
    return [word, " or ", h("a", { href: `/search?${new URLSearchParams({ q: asked })}` }, "search the documents"), "."];
  }

  /** The first rows at once, the rest in pauses; all when the reader comes back to a place further down. */
  fill(entries, mark) {
    const round = (this.round += 1);
    const first = this.context.back ? entries.length : FIRST;
    refill(this.list, this.rows(entries.slice(0, first), mark));
    const more = (from) => {
      if (round !== this.round || from >= entries.length) return;
      append(this.list, this.rows(entries.slice(from, from + SLICE), mark));
      later(() => more(from + SLICE));
    };
    later(() => more(first));
  }

  rows(entries, mark) {
    return entries.map((entry) => {
      entry.row ??= topicRow(entry.topic, this.most);
      mark(entry);
      return entry.row;
    });
  }

  folded(entries, mark) {
    if (!entries.length) return null;
    const inside = h("ol", { class: "topic-list" }, this.rows(entries, mark));
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

/** Mark the words that the filter asks for, and add the one that is further down in the topic. */
function markRow(row, wanted, further) {
  row.querySelector(".further")?.remove();
  for (const each of row.querySelectorAll(".chip")) {
    each.classList.toggle("asked", Boolean(wanted) && each.textContent.toLowerCase().includes(wanted));
  }
  if (!further) return;
  const [word, weight] = further;
  const found = chip(word, 0, { negative: weight < 0 });
  found.classList.add("asked");
  row.querySelector(".chips").append(h("span", { class: "further" }, h("span", { class: "about" }, "further down "), found));
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
