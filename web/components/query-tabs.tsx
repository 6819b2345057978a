/** Tabs whose choice is a query parameter, so that a filtered page can be shared. */
import { Tabs } from "./tabs.tsx";

interface QueryTabsProps {
  readonly label: string;
  readonly path: string;
  readonly query: { readonly [name: string]: string };
  readonly field: string;
  /** The first one is the default, which the address leaves out. */
  readonly choices: readonly (readonly [key: string, label: string])[];
}

/** The path with one field of its query changed. A changed filter starts at the first page. */
function toHref(path: string, query: QueryTabsProps["query"], field: string, value: string | null): string {
  const search = new URLSearchParams({ ...query });
  search.delete("page");
  if (value === null) search.delete(field);
  else search.set(field, value);
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}

export function QueryTabs({ label, path, query, field, choices }: QueryTabsProps) {
  const [fallback] = choices[0]!;
  const wanted = query[field] ?? fallback;
  const current = choices.some(([key]) => key === wanted) ? wanted : fallback;
  const items = choices.map(([key, text]) => ({
    key,
    label: text,
    href: toHref(path, query, field, key === fallback ? null : key),
  }));
  return <Tabs label={label} items={items} current={current} />;
}

/** The choice in the query, or the first one if the query has none of them. */
export const pickChoice = <Key extends string>(
  choices: readonly (readonly [Key, string])[],
  value: string | undefined,
): Key => choices.find(([key]) => key === value)?.[0] ?? choices[0]![0];
