/** Scheme and host of the absolute form, which clients send to a proxy and every server accepts (RFC 9112 §3.2.2). */
const SCHEME_AND_HOST = /^https?:\/\/[^/?]+\/?/i;

/**
 * Drops scheme and host and trailing slashes, and collapses leading slashes: a base URL that ends in `/` produces
 * `//api/…`.
 */
export function normalizePath(target: string): string {
  const url = target.replace(SCHEME_AND_HOST, "/");
  const query = url.indexOf("?");
  const end = query < 0 ? url.length : query;
  let from = 0;
  while (url[from] === "/" && url[from + 1] === "/") from += 1;
  let to = end;
  // Not a regular expression: `/\/+$/` takes quadratic time on a path of slashes.
  while (to > from + 1 && url[to - 1] === "/") to -= 1;
  return from === 0 && to === end ? url : url.slice(from, to) + url.slice(end);
}
