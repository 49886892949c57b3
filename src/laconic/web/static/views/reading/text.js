// The text of a document as paragraphs with marked words.

import { h } from "../../dom.js";
import { markOf } from "./marks.js";

// Matches empty lines, and the end of a line that underlines a heading, such as -----.
const BETWEEN_PARAGRAPHS = /\n(?:[^\S\n]*\n)+|(?<=\n[^\S\n]*[-=~]{3,}[^\S\n]*)\n/;
const RULED = /\n\s*[-=~]{3,}\s*$/;
const PROSE_LINE = 45; // minimum number of characters of a line that looks like wrapped prose

/** The text of a document, in which each word that the model counts is an element with marks. */
export function textOf(data) {
  const marks = marksOf(data);
  const paragraphs = inParagraphs(data.pieces).map((pieces) =>
    h("p", { class: layoutOf(pieces), dir: "auto" }, pieces.map((piece) => nodeOf(piece, marks))),
  );
  return h("div", { class: "text", role: "group", "aria-label": "Text" }, paragraphs);
}

/** The words and their counts, for a document that has no text. */
export function countsOf(data) {
  const marks = marksOf(data);
  const items = data.pieces
    .filter(([, at]) => at !== null)
    .map((piece) => h("li", {}, nodeOf(piece, marks), count(data.words[piece[1]].count)));
  return h("ul", { class: "text counted", dir: "auto" }, items);
}

function marksOf({ words, topics }) {
  const colours = new Map(topics.map(({ topic, colour }) => [topic, colour]));
  return words.map((word) => markOf(word, colours));
}

function nodeOf([text, at], marks) {
  if (at === null) return document.createTextNode(text);
  const node = marks[at].cloneNode(false);
  node.textContent = text;
  return node;
}

function count(times) {
  return h("span", { class: "times" }, `×${Number(times.toPrecision(3))}`);
}

/** Group pieces into paragraphs, so that each paragraph has its own writing direction. */
function inParagraphs(pieces) {
  const paragraphs = [[]];
  for (const [text, at] of pieces) {
    const [first, ...others] = at === null ? text.split(BETWEEN_PARAGRAPHS) : [text];
    paragraphs.at(-1).push([first, at]);
    for (const other of others) paragraphs.push([[other, null]]);
  }
  return paragraphs.filter((paragraph) => paragraph.some(([text]) => text.trim() !== ""));
}

/** Return the layout class of a paragraph: prose is wrapped again, but columns and code keep their lines. */
function layoutOf(pieces) {
  const text = pieces.map(([piece]) => piece).join("").trimEnd();
  if (RULED.test(text)) return "lines ruled";
  const lines = text.split("\n");
  if (lines.some((line) => /^\s*(>>>|\.\.\. )|\S {3,}\S/.test(line))) return "aligned";
  const wrapped = lines.slice(0, -1).every((line) => line.length >= PROSE_LINE);
  const listed = lines.slice(1).some((line) => /^\s*[-*•]\s/.test(line));
  return wrapped && !listed ? "flowing" : "lines";
}
