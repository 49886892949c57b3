// The name and note that a user gave to a topic, and whether the topic is hidden. All three are saved with the model.

import { put } from "./api.js";
import { h, refill } from "./dom.js";

/** The note on a topic and, if the server allows changes, a form to edit the note. */
export function notesOf(topic, context) {
  const container = h("div", { class: "notes" });
  const showNote = () => refill(container, topic.note ? h("p", { class: "note", dir: "auto" }, topic.note) : null,
    context.overview.has.write ? editButton(edit) : null);
  const edit = () => {
    const form = noteForm(topic, context, () => { showNote(); container.querySelector("button").focus(); });
    refill(container, form);
    form.elements.name.focus();
    form.elements.name.select();
  };
  showNote();
  return container;
}

function editButton(edit) {
  return h("button", { type: "button", class: "button", onclick: edit }, "Edit topic");
}

function noteForm(topic, context, close) {
  const problem = h("p", { class: "problem", role: "alert" });
  const form = h("form", { class: "card note-form", "aria-label": "Edit topic" },
    h("label", { class: "field" }, h("span", null, "Name"),
      h("input", {
        name: "name", value: topic.name ?? "", placeholder: "e.g. OPEC and oil prices", autocomplete: "off", dir: "auto",
      })),
    h("label", { class: "field" }, h("span", null, "Note"),
      h("textarea", { name: "note", rows: 3, dir: "auto" }, topic.note)),
    h("label", { class: "check" },
      h("input", { type: "checkbox", name: "hidden", checked: topic.hidden }), "Hide in the overview and in charts"),
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
  const values = { name: name.value.trim() || null, note: note.value.trim(), hidden: hidden.checked };
  // send only the fields that changed in this form, because another user may have changed other fields
  const changed = Object.entries(values).filter(([part, value]) => value !== topic[part]);
  await put(`/api/topics/${topic.topic}/notes`, Object.fromEntries(changed));
  await context.reload();
  document.getElementById("announcement").textContent = "Saved.";
}
