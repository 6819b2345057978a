/** Tracks which facts have changed: transactions publish them, and their versions increase at the commit. */
import type { StoreFact, StoreFacts } from "../../ports/store/facts.ts";
import type { Db } from "./schema.ts";

const publishedBy = new WeakMap<Db, Set<StoreFact>>();

/** Call this in a transaction that changes the facts. */
export function publish(db: Db, ...facts: readonly StoreFact[]): void {
  const published = publishedBy.get(db) ?? new Set();
  publishedBy.set(db, published);
  for (const fact of facts) published.add(fact);
}

export const getPublished = (db: Db): ReadonlySet<StoreFact> => publishedBy.get(db) ?? new Set();

export class FactVersions implements StoreFacts {
  readonly #versions = new Map<StoreFact, number>();
  #common = 0;

  /** Call this after a commit, before its caller continues, and after a failure whose commit is uncertain. */
  count(facts: Iterable<StoreFact>): void {
    for (const fact of facts) this.#versions.set(fact, (this.#versions.get(fact) ?? 0) + 1);
  }

  /** Any fact may have changed. */
  countAll(): void {
    this.#common += 1;
  }

  getVersion(fact: StoreFact): number {
    return this.#common + (this.#versions.get(fact) ?? 0);
  }
}
