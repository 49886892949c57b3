"use strict";
{
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const tools = document.querySelector(".tools");
  const place = document.getElementById("cards");
  const body = document.querySelector("#topics tbody");
  const cards = all("article.topic");
  const rows = new Map(all("#topics tbody tr").map((row) => [row.dataset.topic, row]));

  const filter = document.getElementById("filter");
  const count = document.getElementById("found");
  const texts = cards.map((card) => card.textContent.toLowerCase());
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let matches = 0;
    cards.forEach((card, i) => {
      const isMatch = words.every((word) => texts[i].includes(word));
      card.hidden = rows.get(card.dataset.topic).hidden = !isMatch;
      matches += isMatch;
    });
    count.textContent = words.length ? `${matches} of ${cards.length} topics` : "";
  });

  const number = (key) => (card) => Number(card.dataset[key]);
  const orders = {
    share: (a, b) => cards.indexOf(a) - cards.indexOf(b),
    number: (a, b) => number("topic")(a) - number("topic")(b),
    words: (a, b) => number("words")(b) - number("words")(a),
    name: (a, b) => a.dataset.name.localeCompare(b.dataset.name),
  };
  document.getElementById("sort").addEventListener("change", (event) => {
    const sorted = [...cards].sort(orders[event.target.value]);
    place.append(...sorted);
    body.append(...sorted.map((card) => rows.get(card.dataset.topic)));
  });

  const format = (value, longest) => {
    const decimals = Math.min(9, Math.max(0, 2 - Math.floor(Math.log10(longest))));
    return (value < 0 ? "\u2212" : "") + Math.abs(value).toFixed(decimals);
  };
  const item = ([word, value], longest) => {
    const bar = document.createElement("li");
    bar.style.setProperty("--w", Math.abs(value) / longest);
    if (value < 0) bar.className = "against";
    for (const [tag, text] of [["span", word], ["i", format(value, longest)]]) {
      const part = document.createElement(tag);
      part.textContent = text;
      bar.append(part);
    }
    return bar;
  };
  const slider = document.getElementById("relevance");
  if (slider) slider.addEventListener("input", () => {
    for (const list of all(".words ol[data-all]")) {
      const nShown = list.children.length;
      const relevance = ([, value, overall]) => Math.abs(value) / Math.max(overall, 1e-300) ** (1 - slider.value);
      const best = JSON.parse(list.dataset.all).sort((a, b) => relevance(b) - relevance(a)).slice(0, nShown);
      const longest = Math.max(...best.map(([, value]) => Math.abs(value))) || 1;
      list.replaceChildren(...best.map((word) => item(word, longest)));
    }
  });

  const fold = document.getElementById("fold");
  if (fold) fold.addEventListener("click", () => {
    const foldable = all("details.documents");
    const open = !foldable.some((details) => details.open);
    for (const details of foldable) details.open = open;
    fold.textContent = `${open ? "Fold" : "Unfold"} ${fold.dataset.items}`;
  });

  document.addEventListener("click", (event) => {
    const mark = event.target.closest("[data-to]");
    const link = event.target.closest("a[href^='#']");
    const id = mark ? mark.dataset.to : link && link.getAttribute("href").slice(1);
    const target = id && document.getElementById(id);
    if (!target) return;
    if (location.protocol === "about:") {  // in a notebook the report has no URL
      event.preventDefault();
      target.scrollIntoView();
    } else if (mark) {
      location.hash = id;
    }
  });

  tools.hidden = false;
  document.body.classList.add("scripted");
}
