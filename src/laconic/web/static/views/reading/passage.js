// A passage of a document in which some words are marked.

import { h } from "../../dom.js";

/** Return the DOM nodes of a passage: marked words of the query, marked related words, and plain text. */
export function passage(pieces) {
  return pieces.map(([text, kind]) => (kind ? h("mark", { class: kind }, text) : text));
}
