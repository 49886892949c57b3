// The tree of topics: groups of similar topics, and groups of groups, at the levels that the user chooses.

import { get } from "../api.js";
import { h, refill } from "../dom.js";
import { bar, topicLink } from "../parts.js";
import { counted, percent, stabilityText } from "../text.js";

const ABOUT = "Topics that occur in the same documents and share words are grouped. The words of a group are those that its merged topics would have.";

/** Show the tree of topics. */
export async function show(context) {
  context.title("Tree of topics");
  const stabilities = new Map(context.overview.topics.map(({ topic, stability }) => [topic, stability]));
  const list = h("div", { class: "topic-tree" });
  const problem = h("p", { class: "problem", role: "alert" });
  const lede = h("p", { class: "lede" });
  const levels = h("input", { name: "levels", autocomplete: "off", size: 8, inputmode: "numeric", "aria-describedby": "levels-hint" });
  const update = async (asked) => {
    const tree = await get("/api/tree", { levels: asked || null });
    problem.textContent = "";
    levels.value = tree.levels.join(", ");
    refill(lede, ledeOf(tree));
    const most = Math.max(...tree.groups.map(({ share }) => share), 0);
    refill(list, h("ul", null, tree.groups.map((node) => nodeOf(node, most, stabilities, true))));
  };
  const form = h("form", { class: "tree-form" },
    h("label", { class: "inline-field" }, h("span", null, "Groups at each level"), levels),
    h("button", { class: "button" }, "Group"),
    h("button", { type: "button", class: "button", onclick: () => unfold(list, true) }, "Open all"),
    h("button", { type: "button", class: "button", onclick: () => unfold(list, false) }, "Close all"),
    h("span", { class: "about", id: "levels-hint" }, "From fine to coarse, such as 20, 5."));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const asked = levels.value.replace(/\s/g, "");
    update(asked)
      .then(() => context.keep({ levels: asked || null }))
      .catch((error) => { problem.textContent = error.message; });
  });
  await update(context.query.get("levels")).catch((error) => { problem.textContent = error.message; });
  return [h("h1", null, "Tree of topics"), lede, h("p", { class: "about" }, ABOUT), form, problem, list];
}

function ledeOf({ levels, groups }) {
  if (!levels.length) return null;
  const alone = groups.filter(({ children }) => !children).length;
  const sizes = [...levels].reverse().map((level) => counted(level, "group")).join(", divided into ");
  return `${sizes}${alone ? `; ${counted(alone, "topic is", "topics are")} a group of one` : ""}.`;
}

function nodeOf(node, most, stabilities, isOpen) {
  const share = h("span", { class: "share" }, h("span", { class: "number" }, percent(node.share)), bar(most > 0 ? node.share / most : 0, { negative: node.share < 0 }));
  if (!node.children) return h("li", { class: "leaf", "data-topic": node.topic }, told(node, stabilities), share);
  const size = h("span", { class: "about" }, ` ${counted(node.topics.length, "topic")}`);
  return h("li", null, h("details", { open: isOpen },
    h("summary", null, h("span", { class: "told" }, h("b", { dir: "auto" }, node.words.slice(0, 3).join(", ")), size,
      h("span", { class: "quiet more", dir: "auto" }, node.words.slice(3).join(" "))), share),
    h("ul", null, node.children.map((child) => nodeOf(child, most, stabilities, false)))));
}

function told(topic, stabilities) {
  const stability = stabilities.get(topic.topic);
  const named = topic.name || topic.automatic;
  return h("span", { class: "told" }, topicLink(topic),
    stability === null || stability === undefined ? null : h("span", { class: "about" }, ` ${stabilityText(stability)}`),
    h("span", { class: "quiet more", dir: "auto" }, (named ? topic.words : topic.words.slice(3)).join(" ")));
}

function unfold(list, isOpen) {
  for (const fold of list.querySelectorAll("details")) fold.open = isOpen;
}
