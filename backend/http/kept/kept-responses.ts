/** Responses of public reads, kept until a fact that they depend on changes. */
import type { Fact, Versions } from "../../ports/versions.ts";
import { createPublicResponse, type PublicResponse } from "../responses/response.ts";
import type { HttpResponse, Route } from "../routing/route.ts";

/** The most responses; beyond it the least recently used ones are removed. */
const RESPONSES_MAX = 500;

export interface KeptResponse extends PublicResponse {
  readonly route: Route;
}

interface Entry {
  readonly facts: readonly Fact[];
  /** The versions of `facts`, read before the response was made. */
  readonly versions: readonly (number | string)[];
  /** A promise while it is being made; later requests wait for it. */
  response: KeptResponse | Promise<KeptResponse>;
}

/** The key of a kept response: what it depends on besides the facts. */
export const createKeptKey = (url: string, isMarkdownAccepted: boolean): string =>
  isMarkdownAccepted ? `${url}\nmarkdown` : url;

export class KeptResponses {
  readonly #versions: Versions;
  readonly #entries = new Map<string, Entry>();

  constructor(versions: Versions) {
    this.#versions = versions;
  }

  /** The kept response of this key; null where there is none, or where a fact that it depends on has changed. */
  find(key: string): KeptResponse | null {
    const entry = this.#findCurrent(key);
    return entry === null || entry.response instanceof Promise ? null : entry.response;
  }

  /** The response for this key, which `make` makes where none is current. Throws what `make` throws. */
  async findOrMake(key: string, route: Route, make: () => Promise<HttpResponse>): Promise<KeptResponse> {
    const current = this.#findCurrent(key);
    if (current !== null) return await current.response;
    // The versions are read first: a change while the response is made leaves it out of date.
    const facts = route.kept ?? [];
    const versions = facts.map((fact) => this.#versions[fact]());
    const response = make().then((httpResponse) => ({ route, ...createPublicResponse(httpResponse) }));
    const entry: Entry = { facts, versions, response };
    this.#keep(key, entry);
    try {
      entry.response = await response;
      return entry.response;
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      throw error;
    }
  }

  #findCurrent(key: string): Entry | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    const { facts, versions } = entry;
    for (let i = 0; i < facts.length; i++) if (this.#versions[facts[i]!]() !== versions[i]) return null;
    this.#keep(key, entry);
    return entry;
  }

  /** Inserted again at each use, so that the map is in order of use. */
  #keep(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > RESPONSES_MAX) this.#entries.delete(this.#entries.keys().next().value!);
  }
}
