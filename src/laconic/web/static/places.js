// Where the reader stood on a page, kept with the page in the history of the browser.
// A link and its height in the window are a surer place than a height on the page: rows that were
// never in sight only have an estimated height.

const REST = 150; // milliseconds without scrolling before a place is kept

/** Note the place on the page that is about to be left, and the link it is left by. */
export function remember(url) {
  const left = document.activeElement?.closest?.("main a[href]");
  const follows = left && left.href === url.href;
  save(follows ? { ...placeOf(left), followed: true } : placeOf(inSight()));
}

/** Go back to the kept place; says whether there was one, and whether it took the focus. */
export function restore(main) {
  const { place } = history.state ?? {};
  if (!place) return { found: false, focused: false };
  const link = linksLike(main, place.href)[place.nth];
  if (!link) scrollTo(0, place.y);
  else steady(link, place);
  return { found: true, focused: Boolean(link && place.followed) };
}

/** Bring a link to its old height; twice, as rows get their true height only when they come in sight. */
function steady(link, { top, followed }) {
  const move = () => scrollBy(0, link.getBoundingClientRect().top - top);
  move();
  requestAnimationFrame(move);
  if (followed) link.focus({ preventScroll: true });
}

function placeOf(link) {
  if (!link) return {};
  const href = link.getAttribute("href");
  return { href, nth: linksLike(link.closest("main"), href).indexOf(link), top: link.getBoundingClientRect().top };
}

function linksLike(main, href) {
  return href ? [...main.querySelectorAll("a[href]")].filter((link) => link.getAttribute("href") === href) : [];
}

/** A link of whatever stands in the upper part of the window, if the page is scrolled at all. */
function inSight() {
  if (scrollY === 0) return null;
  const row = document.elementFromPoint(innerWidth / 4, innerHeight / 3)?.closest("main li, main tr");
  return row?.querySelector("a[href]");
}

/** Keep a place, unless the page in sight is being left: then the history is already at the next one. */
function save(place) {
  if (document.getElementById("main").getAttribute("aria-busy") === "true") return;
  history.replaceState({ place: { y: scrollY, ...place } }, "");
}

let timer = null;
document.addEventListener("scroll", () => {
  clearTimeout(timer);
  timer = setTimeout(() => save(placeOf(inSight())), REST);
}, { passive: true });
