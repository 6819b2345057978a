/** Paths as clients write them: a base URL that ends with a slash gives two at the beginning. */
import type { RequestListener } from "node:http";

/** Without repeated slashes at the beginning, and without one at the end. */
export function normalizePath(url: string): string {
  const query = url.indexOf("?");
  const path = query < 0 ? url : url.slice(0, query);
  const isUsual = !path.startsWith("//") && (path.length < 2 || !path.endsWith("/"));
  if (isUsual) return url;
  const merged = path.replace(/^\/+/, "/");
  const trimmed = merged.length > 1 && merged.endsWith("/") ? merged.slice(0, -1) : merged;
  return trimmed + url.slice(path.length);
}

/** Gives `next` each request with its path normalized. */
export function withNormalPaths(next: RequestListener): RequestListener {
  return (request, response) => {
    request.url = normalizePath(request.url ?? "/");
    next(request, response);
  };
}
