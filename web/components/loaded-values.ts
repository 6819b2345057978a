/** Loaded values by key: those that the server rendered the page with, and those of earlier pages. */
const VALUES_MAX = 40;
const values = new Map<string, unknown>();
/** Keys of values that the server has just read, so the browser need not read them again at once. */
let fresh = new Set<string>();

export const recall = <T>(key: string): T | null => (values.get(key) as T | undefined) ?? null;

export function remember(key: string, value: unknown): void {
  values.delete(key);
  values.set(key, value);
  if (values.size > VALUES_MAX) values.delete(values.keys().next().value!);
}

/** Whether the server has just read the value. True only once. */
export const takeFresh = (key: string): boolean => fresh.delete(key);

export function giveFirstValues(given: { readonly [key: string]: unknown }): void {
  fresh = new Set(Object.keys(given));
  for (const [key, value] of Object.entries(given)) remember(key, value);
}

type Load = (signal: AbortSignal) => Promise<unknown>;
/** What the rendered page needs to read. Null in a browser, in which components load their own data. */
let wanted: Map<string, Load> | null = null;

/** Records what a component needs to read while the server renders it. */
export function want(key: string, load: Load): void {
  if (wanted !== null && !values.has(key)) wanted.set(key, load);
}

/** Renders with the given values, and returns the loads that were missing. For the server. */
export function renderWith(given: ReadonlyMap<string, unknown>, render: () => string) {
  values.clear();
  for (const [key, value] of given) values.set(key, value);
  const missing = new Map<string, Load>();
  wanted = missing;
  try {
    return { html: render(), missing };
  } finally {
    wanted = null;
    values.clear();
  }
}
