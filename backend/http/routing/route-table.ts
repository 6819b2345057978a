/** Finds routes by method and path without Express's router, which tries routes one after the other. */
import type { Route } from "./route.ts";

export interface FoundRoute {
  readonly route: Route;
  readonly params: { readonly [name: string]: string };
}

/** Values of parameters that need no decoding. */
const PLAIN_VALUE = "[\\w.-]+";

const toPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{(\w+)\}/g, `(?<$1>${PLAIN_VALUE})`)}$`);

/** Routes are the same for all servers in a process. */
const patterns = new WeakMap<Route, RegExp>();

function getPattern(route: Route): RegExp {
  const pattern = patterns.get(route) ?? toPattern(route.path);
  patterns.set(route, pattern);
  return pattern;
}

const countSegments = (path: string): number => path.split("/").length;

/** A table's routes by method and number of segments, in the order of the table. */
export class RouteTable {
  readonly #candidates = new Map<string, { readonly route: Route; readonly pattern: RegExp }[]>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const key = `${route.method} ${countSegments(route.path)}`;
      const list = this.#candidates.get(key) ?? [];
      list.push({ route, pattern: getPattern(route) });
      this.#candidates.set(key, list);
    }
  }

  /**
   * The route for a path spelled as in the table; null for all others, such as another case, a trailing slash, encoded
   * characters, and `HEAD`. Express handles those.
   */
  find(method: string, url: string): FoundRoute | null {
    const queryAt = url.indexOf("?");
    const path = queryAt < 0 ? url : url.slice(0, queryAt);
    for (const { route, pattern } of this.#candidates.get(`${method} ${countSegments(path)}`) ?? []) {
      const match = pattern.exec(path);
      if (match !== null) return { route, params: match.groups ?? {} };
    }
    return null;
  }
}
