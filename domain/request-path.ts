/** Scheme and host of the absolute form, which clients send to a proxy and every server accepts (RFC 9112 §3.2.2). */
const SCHEME_AND_HOST = /^https?:\/\/[^/?]+\/?/i;

/**
 * Drops scheme and host and trailing slashes, and joins repeated slashes: a base URL that ends in `/` produces
 * `//api/…` or `/api//games/…`.
 */
export function normalizePath(target: string): string {
  const url = target.replace(SCHEME_AND_HOST, "/");
  const query = url.indexOf("?");
  const end = query < 0 ? url.length : query;
  const path = url.slice(0, end).replace(/\/{2,}/g, "/");
  return (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path) + url.slice(end);
}
