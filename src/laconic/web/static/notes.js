// What people say of a topic: its name, a note, whether it is hidden. Kept beside the model.

import { put } from "./api.js";
import { h, refill } from "./dom.js";

/** The note of a topic and, where the server writes, the form that changes it. */
export function notesOf(topic, context) {
  const place = h("div", { class: "notes" });
  const read = () => refill(place, topic.note ? h("p", { class: "note", dir: "auto" }, topic.note) : null,
    context.overview.has.write ? opener(edit) : null);
  const edit = () => {
    const form = noteForm(topic, context, () => { read(); place.querySelector("button").focus(); });
    refill(place, form);
    form.elements.name.focus();
    form.elements.name.select();
  };
  read();
  return place;
}

function opener(edit) {
  return h("button", { type: "button", class: "button", onclick: edit }, "Rename, hide or note");
}

function noteForm(topic, context, close) {
  const problem = h("p", { class: "problem", role: "alert" });
  const form = h("form", { class: "card note-form", "aria-label": "What this topic is called" },
    h("label", { class: "field" }, h("span", null, "Name"),
      h("input", {
        name: "name", value: topic.name ?? "", placeholder: "its first words", autocomplete: "off", dir: "auto",
      })),
    h("label", { class: "field" }, h("span", null, "Note"),
      h("textarea", { name: "note", rows: 3, dir: "auto" }, topic.note)),
    h("label", { class: "check" },
      h("input", { type: "checkbox", name: "hidden", checked: topic.hidden }), "Hide it in the overview and in charts"),
    problem,
    h("div", { class: "buttons" },
      h("button", { class: "button primary" }, "Save"),
      h("button", { type: "button", class: "button", onclick: close }, "Cancel")));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save(topic, form, context).catch((error) => { problem.textContent = error.message; });
  });
  return form;
}

async function save(topic, form, context) {
  const { name, note, hidden } = form.elements;
  const now = { name: name.value.trim() || null, note: note.value.trim(), hidden: hidden.checked };
  // only what was changed here: others may have written the rest meanwhile
  const changed = Object.entries(now).filter(([part, value]) => value !== topic[part]);
  await put(`/api/topics/${topic.topic}/notes`, Object.fromEntries(changed));
  await context.reload();
  document.getElementById("announcement").textContent = "Saved.";
}
