// Search box: a combobox that completes the last word from the model's vocabulary.

import { get } from "./api.js";
import { h, refill } from "./dom.js";
import { wordHref } from "./parts.js";

const PAUSE = 120; // milliseconds without typing before a request is sent

/** Fill the search form; if the model has no search index, the form looks up words instead. */
export function fillSearchForm(form, overview, go) {
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
  const query = input.value.trim();
  box.close();
  if (!query) return;
  go(overview.has.search ? `/search?${new URLSearchParams({ q: query })}` : wordHref(query.toLowerCase()));
}

class Completion {
  constructor(input, list, onChoose) {
    Object.assign(this, { input, list, onChoose, at: -1, timer: null });
    input.addEventListener("input", () => this.requestSoon());
    input.addEventListener("keydown", (event) => this.key(event));
    input.addEventListener("blur", () => this.close());
    // otherwise the input would lose the focus, and the list would close before the click event
    list.addEventListener("pointerdown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => this.choose(event.target.closest("[role=option]")));
  }

  requestSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.request(), PAUSE);
  }

  async request() {
    const typed = this.input.value;
    const like = typed.split(/\s+/).pop();
    const { words } = like ? await get("/api/words", { like }).catch(() => ({ words: [] })) : { words: [] };
    if (this.input.value === typed && document.activeElement === this.input) this.open(words.slice(0, 8));
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
    else if (event.key === "Enter" && this.at >= 0) this.choose(options[this.at]);
    else return;
    event.preventDefault();
  }

  /** Move the selection; after the last option, nothing is selected, and then the first option again. */
  move(by) {
    const positions = this.list.children.length + 1;
    this.at = ((this.at + 1 + by + positions) % positions) - 1;
    [...this.list.children].forEach((each, n) => each.setAttribute("aria-selected", String(n === this.at)));
    if (this.at < 0) return this.input.removeAttribute("aria-activedescendant");
    this.input.setAttribute("aria-activedescendant", `completion-${this.at}`);
  }

  choose(option) {
    if (!option) return;
    this.input.value = this.input.value.replace(/\S*$/, option.textContent);
    this.onChoose();
  }
}
