// A passage of a document with some of its words marked.

import { h } from "../../dom.js";

/** Return the nodes of a passage: words of the query, related words, and plain text. */
export function passage(pieces) {
  return pieces.map(([text, kind]) => (kind ? h("mark", { class: kind }, text) : text));
}
