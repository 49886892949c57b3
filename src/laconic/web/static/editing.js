// Edits of topics: choose topics in the list, see what would change, and change the saved model.

import { put } from "./api.js";
import { h, refill } from "./dom.js";
import { count, counted, topicName } from "./text.js";

const PARTS = "Number of parts";

/** A bar above the list of topics, with which topics are chosen and edited. */
export class TopicEditing {
  constructor(list, context) {
    this.context = context;
    this.list = list;
    this.chosen = new Set();
    this.bar = h("div", { class: "editing" });
    this.panel = h("div", null);
    this.node = h("div", null, this.bar, this.panel);
    this.show(false);
  }

  /** Show the bar; without topics to choose, it is only a button. */
  show(isOpen) {
    this.isOpen = isOpen;
    this.list.classList.toggle("choosing", isOpen);
    if (!isOpen) this.clear();
    const { edits } = this.context.overview.has;
    const undo = edits ? button("Undo the last edit", () => this.ask({ operation: "undo" })) : null;
    if (!isOpen) return refill(this.bar, button("Edit topics", () => this.show(true)), undo);
    this.status = h("span", { class: "about", role: "status" });
    this.actions = {
      merge: button("Merge", () => this.ask({ operation: "merge", topics: this.topics })),
      split: button("Split", () => this.ask({ operation: "split", topics: this.topics, into: 2 })),
      drop: button("Drop", () => this.ask({ operation: "drop", topics: this.topics })),
    };
    refill(this.bar, this.status, Object.values(this.actions), undo, button("Done", () => this.show(false)));
    return this.update();
  }

  get topics() {
    return [...this.chosen];
  }

  /** Add the box with which a topic is chosen to its row. */
  prepare(row, topic) {
    const box = h("input", {
      type: "checkbox", class: "choose", "aria-label": `Choose ${topicName(topic)}`,
      onchange: () => { this.choose(topic.topic, box.checked); },
    });
    row.prepend(box);
  }

  choose(topic, isChosen) {
    if (isChosen) this.chosen.add(topic);
    else this.chosen.delete(topic);
    this.update();
  }

  clear() {
    this.chosen.clear();
    for (const box of this.list.querySelectorAll(".choose")) box.checked = false;
    refill(this.panel);
  }

  update() {
    const { size } = this.chosen;
    this.status.textContent = size ? `${counted(size, "topic")} chosen` : "Choose topics in the list.";
    this.actions.merge.disabled = size < 2;
    this.actions.split.disabled = size !== 1;
    this.actions.drop.disabled = !size || size === this.context.overview.n_topics;
    refill(this.panel);
  }

  ask(change) {
    return askFirst(this.panel, change, this.context);
  }
}

/** Show what an edit would change, and make the edit if the user agrees. */
export async function askFirst(panel, change, context, done = context.reload) {
  const edit = { ...change, edits: context.overview.has.edits };
  refill(panel, h("p", { class: "about", role: "status" }, "Computing what would change …"));
  let preview;
  try {
    preview = await put("/api/edits/preview", edit);
  } catch (error) {
    return refill(panel, problem(error));
  }
  if (context.signal.aborted) return null;
  const apply = button("Apply", async () => {
    apply.disabled = true;
    try {
      const { text } = await put("/api/edits", edit);
      await done();
      document.getElementById("announcement").textContent = text;
    } catch (error) {
      refill(panel, problem(error));
    }
  });
  apply.classList.add("primary");
  const cancel = button("Cancel", () => refill(panel));
  const card = h("section", { class: "card edit-preview", "aria-label": "What would change" },
    h("h3", null, sentence(preview.text)),
    h("dl", null, changes("Before", preview.before), changes("After", preview.after)),
    h("p", { class: "about" }, effects(preview)),
    parts(panel, change, context, done),
    h("div", { class: "buttons" }, apply, cancel));
  card.addEventListener("keydown", (event) => { if (event.key === "Escape") refill(panel); });
  refill(panel, card);
  apply.focus();
  return card;
}

/** A field for the number of parts of a split topic. */
function parts(panel, change, context, done) {
  if (change.operation !== "split") return null;
  const field = h("input", {
    type: "number", min: 2, max: 20, value: change.into,
    onchange: () => askFirst(panel, { ...change, into: Number(field.value) }, context, done),
  });
  return h("label", { class: "inline-field" }, h("span", null, PARTS), field);
}

function changes(label, topics) {
  if (!topics.length) return null;
  return [h("dt", null, label), topics.map(({ topic, name, words }) =>
    h("dd", { dir: "auto" }, h("span", { class: "number quiet" }, `${topic} `), name ? h("b", null, `${name}: `) : null, words.join(", ")))];
}

function effects({ n_topics: topics, n_documents: documents, n_renumbered: renumbered, n_unlisted: unlisted }) {
  const facts = unlisted ? [`${counted(unlisted, "more topic is", "more topics are")} not listed`] : [];
  facts.push(`${counted(topics, "topic")} afterwards`);
  if (documents !== null) facts.push(`${counted(documents, "document")} affected`);
  facts.push(renumbered ? `${count(renumbered)} other topics get another number, and nothing else of them changes` : "no other topic changes");
  return `${facts.join("; ")}.`;
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

function problem(error) {
  return h("p", { class: "problem", role: "alert" }, error.message);
}

function button(label, onclick) {
  return h("button", { type: "button", class: "button", onclick }, label);
}

/** Add a button that removes the word to each row of the words of a topic. */
export function removableWords(section, topic, context) {
  if (!context.overview.has.edit) return section;
  const panel = h("div", null);
  section.querySelector("h2").after(panel);
  const list = section.querySelector(".word-bars");
  const prepare = () => {
    for (const row of list.querySelectorAll("li:not(:has(.remove-word))")) {
      const { word } = row.dataset;
      const remove = () => askFirst(panel, { operation: "drop_words", topics: [topic.topic], words: [word] }, context);
      row.append(h("button", { type: "button", class: "remove-word", title: `Drop ${word} from this topic`, "aria-label": `Drop ${word}`, onclick: remove }, "×"));
    }
  };
  prepare();
  new MutationObserver(prepare).observe(list, { childList: true });
  return section;
}
