// The search box: a combobox that completes the last word typed with words the model knows.

import { get } from "./api.js";
import { h, refill } from "./dom.js";
import { wordHref } from "./parts.js";

const PAUSE = 120; // milliseconds of rest in typing before the server is asked

/** Fill the search form; without an index of documents it finds words. */
export function furnishSearch(form, overview, go) {
  const label = overview.has.search ? "Search documents" : "Find a word";
  const list = h("ul", { role: "listbox", id: "completions", "aria-label": "Words", hidden: true });
  const input = h("input", {
    type: "search", name: "q", placeholder: label, "aria-label": label, autocomplete: "off",
    autocapitalize: "off", spellcheck: "false", dir: "auto", role: "combobox", enterkeyhint: "search",
    "aria-expanded": "false", "aria-controls": "completions", "aria-autocomplete": "list",
  });
  const box = new Completion(input, list, () => submit(input, overview, go, box));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(input, overview, go, box);
  });
  refill(form, input, list).hidden = false;
}

function submit(input, overview, go, box) {
  const asked = input.value.trim();
  box.close();
  if (!asked) return;
  go(overview.has.search ? `/search?${new URLSearchParams({ q: asked })}` : wordHref(asked.toLowerCase()));
}

class Completion {
  constructor(input, list, chosen) {
    Object.assign(this, { input, list, chosen, at: -1, timer: null });
    input.addEventListener("input", () => this.later());
    input.addEventListener("keydown", (event) => this.key(event));
    input.addEventListener("blur", () => this.close());
    // without this the box loses focus, and the list is gone before the click arrives
    list.addEventListener("pointerdown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => this.take(event.target.closest("[role=option]")));
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), PAUSE);
  }

  async ask() {
    const asked = this.input.value;
    const like = asked.split(/\s+/).pop();
    const { words } = like ? await get("/api/words", { like }).catch(() => ({ words: [] })) : { words: [] };
    if (this.input.value === asked && document.activeElement === this.input) this.open(words.slice(0, 8));
  }

  open(words) {
    this.at = -1;
    const option = (word, n) => h("li",
      { role: "option", id: `completion-${n}`, "aria-selected": "false", dir: "auto" }, word);
    refill(this.list, words.map(option));
    this.list.hidden = words.length === 0;
    this.input.setAttribute("aria-expanded", String(words.length > 0));
    this.input.removeAttribute("aria-activedescendant");
  }

  close() {
    clearTimeout(this.timer);
    this.open([]);
  }

  key(event) {
    const options = this.list.children;
    if (event.key === "Escape" && options.length) this.close();
    else if (event.key === "ArrowDown" && options.length) this.move(1);
    else if (event.key === "ArrowUp" && options.length) this.move(-1);
    else if (event.key === "Enter" && this.at >= 0) this.take(options[this.at]);
    else return;
    event.preventDefault();
  }

  /** Go through the options and, between the last and the first, through none of them. */
  move(by) {
    const places = this.list.children.length + 1;
    this.at = ((this.at + 1 + by + places) % places) - 1;
    [...this.list.children].forEach((each, n) => each.setAttribute("aria-selected", String(n === this.at)));
    if (this.at < 0) return this.input.removeAttribute("aria-activedescendant");
    this.input.setAttribute("aria-activedescendant", `completion-${this.at}`);
  }

  take(option) {
    if (!option) return;
    this.input.value = this.input.value.replace(/\S*$/, option.textContent);
    this.chosen();
  }
}
