// Chart tooltips: a small box with the names and values of the mark under the pointer.

import { h, refill } from "./dom.js";

const GAP = 12; // pixels between the pointer and the tooltip
let box = null;

/** Return the tooltip handler of a chart, which also shows a hand cursor over clickable topics. */
export function tipOf(node, onTopic) {
  const hide = () => {
    node.classList.remove("follows");
    if (box) box.hidden = true;
  };
  const handler = (_, event, item, value) => {
    if (value === null || value === undefined || value === "") return hide();
    node.classList.toggle("follows", Boolean(onTopic) && Number.isInteger(item?.datum?.topic));
    fill(value);
    place(event);
  };
  return { handler, hide };
}

function fill(value) {
  box ??= document.body.appendChild(h("div", { class: "tip", "aria-hidden": "true" }));
  const rows = typeof value === "object" ? Object.entries(value) : [["", value]];
  refill(box, h("table", null, rows.map(([name, text]) =>
    h("tr", null, name ? h("th", null, name) : null, h("td", { dir: "auto" }, String(text))))));
  box.hidden = false;
}

/** Put the tooltip beside the pointer, on the side that has enough room. */
function place({ clientX, clientY }) {
  const { width, height } = box.getBoundingClientRect();
  const left = clientX + GAP + width > innerWidth ? clientX - GAP - width : clientX + GAP;
  const top = clientY + GAP + height > innerHeight ? clientY - GAP - height : clientY + GAP;
  box.style.setProperty("left", `${Math.max(4, left)}px`);
  box.style.setProperty("top", `${Math.max(4, top)}px`);
}
