// Name or hide a topic in place, with the mouse or the keyboard. The server saves the changes with the model.

import { put } from "./api.js";
import { h } from "./dom.js";
import { topicName } from "./text.js";

/** Replace a node by a field for the name of a topic; Enter saves, Escape and leaving the field cancel. */
export function nameInPlace(node, topic, { onSaved }) {
  if (node.parentElement.querySelector(".name-field")) return;
  const problem = h("span", { class: "problem", role: "alert" });
  const input = h("input", {
    class: "name-field", value: topic.name ?? "", placeholder: topicName({ ...topic, name: null }), dir: "auto",
    "aria-label": "Name of the topic", autocomplete: "off",
  });
  const field = h("span", { class: "naming" }, input, problem);
  const close = () => {
    field.remove();
    node.hidden = false;
  };
  input.addEventListener("keydown", async (event) => {
    event.stopPropagation();
    if (event.key === "Escape") {
      close();
      node.focus?.();
    }
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    const name = input.value.trim() || null;
    try {
      if (name !== topic.name) await put(`/api/topics/${topic.topic}/notes`, { name });
      close();
      await onSaved(name);
    } catch (error) {
      problem.textContent = error.message;
    }
  });
  input.addEventListener("blur", () => setTimeout(close, 150));
  node.hidden = true;
  node.after(field);
  input.focus();
  input.select();
}

/** Hide a topic, or show it again. */
export function toggleHidden(topic) {
  return put(`/api/topics/${topic.topic}/notes`, { hidden: !topic.hidden });
}

/** Call the handler of a single key, unless the user is typing or holds a modifier key. */
export function onKeys(handlers, signal) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest("input, textarea, select, [contenteditable], .text")) return;
    const handler = handlers[event.key];
    if (!handler) return;
    event.preventDefault();
    handler(event);
  }, { signal });
}

/** Say which keys work in a view. */
export function keyHint(canWrite, item = "topic") {
  const keys = [["j", "k", "next and previous topic"], ...(canWrite ? [["n", null, "name"], ["h", null, `hide the ${item}`]] : [])];
  return h("p", { class: "about keys" }, "Keys: ", keys.flatMap(([first, second, text], n) => [
    n ? ", " : "", h("kbd", null, first), second ? ["/", h("kbd", null, second)] : null, ` ${text}`]), ".");
}
