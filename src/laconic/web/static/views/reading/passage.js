// A passage of a document with some of its words marked.

import { h } from "../../dom.js";

/** The pieces of a passage: words that were asked for, words related to them, and plain text. */
export function passage(pieces) {
  return pieces.map(([text, kind]) => (kind ? h("mark", { class: kind }, text) : text));
}
