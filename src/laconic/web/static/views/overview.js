// What the corpus is about at a glance.

import { h } from "../dom.js";

/** The overview of the model. */
export async function show(context) {
  return [h("h1", { dir: "auto" }, context.overview.title)];
}
