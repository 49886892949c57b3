// The card that explains a word, which opens beside the word by mouse, keyboard or touch.

import { h } from "../../dom.js";

const MARK = "[data-word]";
const MARGIN = 8; // distance of the card from the word and from the edge of the window, in pixels
const WAIT_TO_SHOW = 90; // delay before the card opens, in milliseconds
const WAIT_TO_HIDE = 220; // delay before the card closes, in milliseconds

/** A card for the marked words inside the element `root`; `describe(element)` returns its content. */
export class Card {
  #root;
  #describe;
  #node;
  #body;
  #word = null;
  #pinned = false;
  #timer = 0;

  constructor(root, describe, signal) {
    this.#root = root;
    this.#describe = describe;
    this.#body = h("div", { class: "card-body" });
    this.#node = h(
      "div",
      { class: "word-card", id: "word-card", role: "group", "aria-label": "About the word" },
      h("button", { class: "card-close", "aria-label": "Close", onclick: () => this.#leave() }, "×"),
      this.#body,
    );
    this.#node.dataset.card = "";
    this.#node.hidden = true;
    this.#listen(signal);
  }

  /** The element of the card; insert it at the place where the Tab key should reach it. */
  get node() {
    return this.#node;
  }

  #listen(signal) {
    const on = (target, name, handle) => target.addEventListener(name, handle, { signal });
    on(this.#root, "pointerover", (event) => this.#hover(event));
    on(this.#root, "pointerleave", () => this.#hideSoon());
    on(this.#root, "focusin", (event) => this.#focus(event.target));
    on(this.#root, "focusout", ({ relatedTarget }) => relatedTarget && this.#outside(relatedTarget));
    on(this.#root, "click", (event) => this.#press(event.target));
    on(document, "keydown", (event) => this.#key(event));
    on(document, "pointerdown", (event) => this.#outside(event.target));
    on(window, "scroll", () => this.#place());
    on(window, "resize", () => this.#place());
  }

  #hover({ target, pointerType }) {
    if (pointerType !== "mouse" || this.#pinned) return;
    clearTimeout(this.#timer);
    const word = target.closest(MARK);
    if (word) this.#timer = setTimeout(() => this.#show(word), WAIT_TO_SHOW);
    else if (!this.#node.contains(target)) this.#hideSoon();
  }

  #focus(target) {
    if (this.#node.contains(target)) return;
    if (target.matches(MARK)) this.#show(target);
    else this.#hide();
  }

  #press(target) {
    const word = target.closest(MARK);
    if (!word) return;
    if (this.#pinned && this.#word === word) this.#hide();
    else this.#show(word, true);
  }

  /** Escape closes the card; Enter on a word opens it and moves the focus into it. */
  #key(event) {
    if (event.key === "Escape") this.#leave();
    if (event.key !== "Enter" || !event.target.matches?.(MARK)) return;
    event.preventDefault();
    this.#show(event.target, true);
    this.#body.querySelector("a")?.focus();
  }

  #outside(target) {
    if (!this.#node.contains(target) && !target.closest?.(MARK)) this.#hide();
  }

  #leave() {
    const word = this.#word;
    const inside = this.#node.contains(document.activeElement);
    this.#hide();
    if (inside && word) {
      word.focus({ preventScroll: true });
      this.#hide();
    }
  }

  #show(word, pinned = false) {
    clearTimeout(this.#timer);
    this.#word?.removeAttribute("aria-describedby");
    this.#word = word;
    this.#pinned = pinned;
    this.#body.replaceChildren(this.#describe(word));
    word.setAttribute("aria-describedby", this.#node.id);
    this.#node.hidden = false;
    this.#place();
    this.#uncover();
  }

  #hideSoon() {
    if (this.#pinned || this.#word === document.activeElement) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#hide(), WAIT_TO_HIDE);
  }

  #hide() {
    clearTimeout(this.#timer);
    this.#word?.removeAttribute("aria-describedby");
    this.#word = null;
    this.#pinned = false;
    this.#node.hidden = true;
  }

  /** Put the card below the word, or above it if there is no room, and always within the window. */
  #place() {
    if (!this.#word) return;
    const word = this.#word.getClientRects()[0] ?? this.#word.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.#node;
    const room = document.documentElement;
    const left = Math.min(Math.max(MARGIN, word.left), room.clientWidth - width - MARGIN);
    const below = word.bottom + MARGIN;
    const above = word.top - height - MARGIN;
    const top = below + height + MARGIN > room.clientHeight && above > 0 ? above : below;
    this.#node.style.setProperty("--left", `${Math.max(MARGIN, left)}px`);
    this.#node.style.setProperty("--top", `${top}px`);
  }

  /** On a phone, the card is at the bottom of the screen; scroll so that it does not cover the word. */
  #uncover() {
    const card = this.#node.getBoundingClientRect();
    const word = this.#word.getBoundingClientRect();
    const sheet = card.bottom >= document.documentElement.clientHeight - 1;
    if (sheet && word.bottom > card.top) window.scrollBy({ top: word.bottom - card.top + 3 * MARGIN });
  }
}
