/** Without repeated slashes at the beginning, which a base URL with a slash at its end gives, and without those at the end. */
export function normalizePath(url: string): string {
  const query = url.indexOf("?");
  const path = query < 0 ? url : url.slice(0, query);
  const isUsual = !path.startsWith("//") && (path.length < 2 || !path.endsWith("/"));
  if (isUsual) return url;
  const trimmed = path.replace(/^\/+/, "/").replace(/(?<=.)\/+$/, "");
  return trimmed + url.slice(path.length);
}
