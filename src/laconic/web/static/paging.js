// Paging of long lists. URLs of the explorer count pages from 1, the API counts from 0.

import { get } from "./api.js";

export const SIZE = 20;

/** Request the page of a list whose number is in the URL; if that page does not exist, request the last page. */
export async function getPage(path, query, params = {}) {
  const page = Math.max(0, Number.parseInt(query.get("page") ?? "1", 10) - 1 || 0);
  const request = (n) => get(path, { ...params, page: n, size: SIZE });
  try {
    return await request(page);
  } catch (error) {
    if (page === 0 || !(error.status >= 400 && error.status < 500)) throw error;
    const { total } = await request(0);
    return request(Math.max(0, Math.ceil(total / SIZE) - 1));
  }
}

/** Return the URL of a page of the current list; all other parameters of the URL stay unchanged. */
export function pageHref(path, query, page) {
  const params = new URLSearchParams(query);
  params.delete("page");
  if (page) params.set("page", page + 1);
  return `${path}${params.size ? `?${params}` : ""}`;
}
