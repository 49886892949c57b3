// All charts that can be drawn of the model, one below the other.

import { chartFigure } from "../charts.js";
import { h } from "../dom.js";

const NAMES = {
  words: "Words of topics", map: "Map of topics", matrix: "Topics and words", groups: "Topics over classes or time",
  convergence: "Convergence", path: "Penalty", "singular-values": "Singular values", graph: "Topic graph",
};

/** The pictures of the model. */
export async function show(context) {
  const { charts } = context.overview;
  context.title("Pictures");
  return [
    h("h1", null, "Pictures"),
    h("p", { class: "lede" }, "The same charts as laconic plot writes. A click on a topic leads to it."),
    charts.length === 0 ? h("p", { class: "empty" }, "This model has no charts.") : null,
    charts.map((chart) => picture(chart, context)),
  ];
}

function picture(chart, context) {
  const id = `picture-${chart.name}`;
  return h("section", { "aria-labelledby": id, class: "picture" },
    h("h2", { id, class: "unseen" }, nameOf(chart.name, context.overview)),
    chartFigure(chart, context, { tools: true }));
}

function nameOf(name, { has }) {
  if (name === "groups" && has.groups) return has.groups === "time" ? "Topics over time" : "Topics over classes";
  return NAMES[name] ?? name;
}
