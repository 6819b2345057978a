/** Leads to the pages before and after this one of a long list. */
import { RUN_LABELS } from "../labels/runs.ts";

interface PagerProps {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly toHref: (page: number) => string;
}

export function Pager({ page, limit, total, toHref }: PagerProps) {
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
