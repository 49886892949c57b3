// Scroll positions, stored in the browser's history.
// A position consists of a link and its distance from the top of the window. This position is more
// reliable than an offset on the page, because rows that were never visible only have an estimated height.

const SCROLL_DELAY = 150; // milliseconds without scrolling before a position is stored

/** Before the user leaves a page, store the scroll position and the link that was followed, if any. */
export function remember(url) {
  const link = document.activeElement?.closest?.("main a[href]");
  const isFollowed = link && link.href === url.href;
  save(isFollowed ? { ...positionOf(link), followed: true } : positionOf(visibleLink()));
}

/** Restore the stored position; return whether a position was stored and whether a link got the focus. */
export function restore(main) {
  const { place: position } = history.state ?? {};
  if (!position) return { found: false, focused: false };
  const link = linksTo(main, position.href)[position.nth];
  if (!link) scrollTo(0, position.y);
  else scrollToLink(link, position);
  return { found: true, focused: Boolean(link && position.followed) };
}

/** Scroll a link to its old position, twice, because rows get their true height only when they become visible. */
function scrollToLink(link, { top, followed }) {
  const move = () => scrollBy(0, link.getBoundingClientRect().top - top);
  move();
  requestAnimationFrame(move);
  if (followed) link.focus({ preventScroll: true });
}

function positionOf(link) {
  if (!link) return {};
  const href = link.getAttribute("href");
  return { href, nth: linksTo(link.closest("main"), href).indexOf(link), top: link.getBoundingClientRect().top };
}

function linksTo(main, href) {
  return href ? [...main.querySelectorAll("a[href]")].filter((link) => link.getAttribute("href") === href) : [];
}

/** Return a link in the upper part of the window, if the page is scrolled. */
function visibleLink() {
  if (scrollY === 0) return null;
  const row = document.elementFromPoint(innerWidth / 4, innerHeight / 3)?.closest("main li, main tr");
  return row?.querySelector("a[href]");
}

/** Store a position, unless a new page is loading, because the history entry then belongs to the new page. */
function save(position) {
  if (document.getElementById("main").getAttribute("aria-busy") === "true") return;
  history.replaceState({ place: { y: scrollY, ...position } }, "");
}

let timer = null;
document.addEventListener("scroll", () => {
  clearTimeout(timer);
  timer = setTimeout(() => save(positionOf(visibleLink())), SCROLL_DELAY);
}, { passive: true });
