/** Drops trailing slashes and collapses leading ones: a base URL that ends in `/` produces `//api/…`. */
export function normalizePath(url: string): string {
  const query = url.indexOf("?");
  const end = query < 0 ? url.length : query;
  let from = 0;
  while (url[from] === "/" && url[from + 1] === "/") from += 1;
  let to = end;
  // Not a regular expression: `/\/+$/` takes quadratic time on a path of slashes.
  while (to > from + 1 && url[to - 1] === "/") to -= 1;
  return from === 0 && to === end ? url : url.slice(from, to) + url.slice(end);
}
