// All charts of the model, one below the other.

import { chartFigure } from "../charts.js";
import { h } from "../dom.js";

const NAMES = {
  words: "Top words of topics", map: "Map of topics", matrix: "Topic–word matrix", groups: "Topics by class or over time",
  convergence: "Convergence", path: "Penalty path", "singular-values": "Singular values", graph: "Topic graph",
};

/** Show the charts of the model. */
export async function show(context) {
  const { charts } = context.overview;
  context.title("Charts");
  return [
    h("h1", null, "Charts"),
    h("p", { class: "lede" }, "The command “laconic plot” writes the same charts to files. Click a topic to open it."),
    charts.length === 0 ? h("p", { class: "empty" }, "This model has no charts.") : null,
    charts.map((chart) => chartSection(chart, context)),
  ];
}

function chartSection(chart, context) {
  const id = `picture-${chart.name}`;
  return h("section", { "aria-labelledby": id, class: "picture" },
    h("h2", { id, class: "unseen" }, nameOf(chart.name, context.overview)),
    chartFigure(chart, context));
}

function nameOf(name, { has }) {
  if (name === "groups" && has.groups) return has.groups === "time" ? "Topics over time" : "Topics by class";
  return NAMES[name] ?? name;
}
