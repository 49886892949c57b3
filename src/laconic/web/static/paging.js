// Long lists come a page at a time; addresses count pages from 1, the server from 0.

import { get } from "./api.js";

export const SIZE = 20;

/** The page of a list that an address asks for; beyond the end, the last one. */
export async function getPage(path, query, params = {}) {
  const page = Math.max(0, Number.parseInt(query.get("page") ?? "1", 10) - 1 || 0);
  const ask = (n) => get(path, { ...params, page: n, size: SIZE });
  try {
    return await ask(page);
  } catch (error) {
    if (page === 0 || !(error.status >= 400 && error.status < 500)) throw error;
    const { total } = await ask(0);
    return ask(Math.max(0, Math.ceil(total / SIZE) - 1));
  }
}

/** The address of a page of the present list, all else in it unchanged. */
export function pageHref(path, query, page) {
  const params = new URLSearchParams(query);
  params.delete("page");
  if (page) params.set("page", page + 1);
  return `${path}${params.size ? `?${params}` : ""}`;
}
