// JSON API client; responses are cached, so that going back is instant.

const CACHE_SIZE = 200;
const cache = new Map();

/** Send a GET request and return the parsed JSON; an error has the message and the status of the server. */
export function get(path, params) {
  const url = path + asQuery(params);
  const cached = cache.get(url);
  if (cached) return cached;
  const response = request(url);
  store(url, response);
  response.catch(() => cache.delete(url));
  return response;
}

/** Send a GET request again, because the response may have changed. */
export function renew(path) {
  cache.delete(path);
  return get(path);
}

/** Send a PUT request and clear the cache, because the change may affect any response. */
export async function put(path, body) {
  const response = await request(path, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  cache.clear();
  return response;
}

function store(url, response) {
  cache.set(url, response);
  if (cache.size > CACHE_SIZE) cache.delete(cache.keys().next().value);
}

function asQuery(params) {
  const entries = Object.entries(params ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return entries.length ? `?${new URLSearchParams(entries)}` : "";
}

async function request(url, options) {
  const response = await reach(url, options);
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  const error = new Error(body?.error ?? `Unexpected response from the server: status ${response.status} for ${url}.`);
  error.status = response.status;
  throw error;
}

async function reach(url, options) {
  try {
    return await fetch(url, options);
  } catch {
    throw new Error("The server is not responding. Restart laconic explore, then reload this page.");
  }
}
