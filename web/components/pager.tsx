/** Pagination of a long list: the page number in the query, and links to the previous and the next page. */
import { RUN_LABELS } from "../labels/runs.ts";

interface PagerProps {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly path: string;
  readonly query: { readonly [name: string]: string };
}

/** The page number in a query, 1 if it has none. */
export const readPageNumber = (query: PagerProps["query"]): number => Math.max(1, Math.trunc(Number(query.page)) || 1);

export function Pager({ page, limit, total, path, query }: PagerProps) {
  const toHref = (target: number): string => `${path}?${new URLSearchParams({ ...query, page: String(target) })}`;
  const last = Math.max(1, Math.ceil(total / limit));
  if (last === 1) return null;
  return (
    <p class="pager">
      {page > 1 && <a href={toHref(page - 1)}>{RUN_LABELS.previous}</a>}
      <span>{`${page} ${RUN_LABELS.of} ${last}`}</span>
      {page < last && <a href={toHref(page + 1)}>{RUN_LABELS.next}</a>}
    </p>
  );
}
