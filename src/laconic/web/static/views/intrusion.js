// The word-intrusion test: find the word that does not belong to a topic; the score is kept in the notes of the topics.

import { get, put } from "../api.js";
import { h, refill } from "../dom.js";
import { topicLink } from "../parts.js";
import { count, counted } from "../text.js";

const ABOUT = "Each question shows words of one topic, and one word of another topic: the intruder. If it is easy to find, the words of the topic make sense together.";

/** Show the questions one by one. */
export async function show(context) {
  context.title("Word-intrusion test");
  const { questions, ...score } = await get("/api/intrusion");
  const total = h("p", { class: "lede", role: "status" }, scoreText(score));
  const card = h("div", { class: "intrusion" });
  const test = { questions, card, total, context, at: 0, right: 0 };
  ask(test);
  return [h("h1", null, "Word-intrusion test"), total, h("p", { class: "about" }, ABOUT), card];
}

/** The score over all questions that were ever answered. */
export function scoreText({ asked, found }) {
  if (!asked) return "No question was answered so far.";
  return `${count(found)} of ${counted(asked, "intruder")} found so far.`;
}

function ask(test) {
  const { questions, card, at } = test;
  if (!questions.length) return refill(card, h("p", { class: "empty" }, "The topics have too few words for this test."));
  if (at === questions.length) return finish(test);
  const question = questions[at];
  const buttons = question.words.map((word) =>
    h("button", { type: "button", class: "button", dir: "auto", onclick: () => answer(test, question, word) }, word));
  refill(card, h("h2", null, `Question ${at + 1} of ${questions.length}: which word does not belong?`),
    h("div", { class: "buttons", role: "group", "aria-label": "Words" }, buttons), h("div", { class: "verdict", role: "status" }));
  return null;
}

async function answer(test, question, word) {
  const { card, total, context } = test;
  const verdict = card.querySelector(".verdict");
  for (const each of card.querySelectorAll("button")) each.disabled = true;
  let result;
  try {
    result = await put(`/api/topics/${question.topic}/intrusion`, { number: question.number, word });
  } catch (error) {
    return refill(verdict, h("p", { class: "problem", role: "alert" }, error.message));
  }
  if (context.signal.aborted) return null;
  test.right += result.right;
  test.at += 1;
  for (const each of card.querySelectorAll(".buttons button")) {
    each.classList.toggle("intruder", each.textContent === result.intruder);
    each.classList.toggle("wrong", each.textContent === word && !result.right);
  }
  total.textContent = scoreText(result);
  const next = h("button", { type: "button", class: "button primary", onclick: () => ask(test) }, "Next");
  refill(verdict, h("p", null, h("b", null, result.right ? "Right. " : "Not quite. "),
    h("bdi", null, result.intruder), " is a word of ", topicLink(result.source), "; the others are words of ", topicLink(result.topic), "."), next);
  next.focus();
  return null;
}

function finish({ card, right, questions, context }) {
  const again = h("button", { type: "button", class: "button primary", onclick: () => context.reload() }, "More questions");
  refill(card, h("h2", null, `You found ${count(right)} of ${counted(questions.length, "intruder")}.`),
    h("p", { class: "about" }, "The score of each topic is on its page, and saved with the names and notes of the topics."), again);
  again.focus();
}
