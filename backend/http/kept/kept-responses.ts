/** Responses of public reads, cached until a fact that they depend on changes. */
import type { Fact, Versions } from "../../ports/versions.ts";
import { createPublicResponse, type PublicResponse } from "../responses/response.ts";
import type { HttpResponse, Route } from "../routing/route.ts";

/** The maximum number of cached responses; above it the least recently used ones are removed. */
const RESPONSES_MAX = 500;

export interface KeptResponse extends PublicResponse {
  readonly route: Route;
}

interface Entry {
  readonly facts: readonly Fact[];
  /** The versions of `facts`, read before the response was created. */
  readonly versions: readonly (number | string)[];
  /** A promise while it is being created; later requests wait for it. */
  response: KeptResponse | Promise<KeptResponse>;
  /** The previous response while `response` is being created. */
  previous: KeptResponse | null;
}

/** The key of a cached response: everything it depends on besides the facts. */
export const createKeptKey = (url: string, isMarkdownAccepted: boolean): string =>
  isMarkdownAccepted ? `${url}\nmarkdown` : url;

const getSettled = ({ response, previous }: Entry): KeptResponse | null =>
  response instanceof Promise ? previous : response;

export class KeptResponses {
  readonly #versions: Versions;
  readonly #isStoreAway: () => boolean;
  readonly #entries = new Map<string, Entry>();

  /** `isStoreAway`: the store is unavailable, so the last response is served. */
  constructor(versions: Versions, isStoreAway: () => boolean = () => false) {
    this.#versions = versions;
    this.#isStoreAway = isStoreAway;
  }

  /** The kept response of this key; null if there is none, or if a fact that it depends on has changed. */
  find(key: string): KeptResponse | null {
    const entry = this.#findCurrent(key);
    return entry === null || entry.response instanceof Promise ? null : entry.response;
  }

  /** The response for this key; calls `make` if none is current. Throws what `make` throws. */
  async findOrMake(key: string, route: Route, make: () => Promise<HttpResponse>): Promise<KeptResponse> {
    const current = this.#findCurrent(key);
    if (current !== null) return await current.response;
    // Read the versions first: a change during the creation of the response makes it outdated.
    const facts = route.kept ?? [];
    const versions = facts.map((fact) => this.#versions[fact]());
    const response = make().then((httpResponse) => ({ route, ...createPublicResponse(httpResponse) }));
    const replaced = this.#entries.get(key);
    const previous = replaced === undefined ? null : getSettled(replaced);
    const entry: Entry = { facts, versions, response, previous };
    this.#keep(key, entry);
    try {
      entry.response = await response;
      entry.previous = null;
      return entry.response;
    } catch (error) {
      if (this.#entries.get(key) === entry) {
        if (replaced === undefined || previous === null) this.#entries.delete(key);
        else this.#entries.set(key, { ...replaced, response: previous, previous: null });
      }
      if (previous !== null && this.#isStoreAway()) return previous;
      throw error;
    }
  }

  #findCurrent(key: string): Entry | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    const settled = getSettled(entry);
    if (settled !== null && this.#isStoreAway()) return { ...entry, response: settled };
    const { facts, versions } = entry;
    for (let i = 0; i < facts.length; i++) if (this.#versions[facts[i]!]() !== versions[i]) return null;
    this.#keep(key, entry);
    return entry;
  }

  /** Inserted again at each use, which keeps the map in order of use. */
  #keep(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > RESPONSES_MAX) this.#entries.delete(this.#entries.keys().next().value!);
  }
}
