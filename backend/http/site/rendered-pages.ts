import type { RenderedPage } from "./page-html.ts";

/** Rendering takes milliseconds of the thread that also makes the ticks. */
const KEPT_MS = 1_000;
const KEPT_MAX = 100;
const RENDERS_PER_SECOND = 20;

/** The browser renders such a page. */
export const EMPTY_PAGE: RenderedPage = { html: "", values: {} };

/**
 * Renders each address at most once a second, and a bounded number of addresses per second: further pages are sent
 * empty, and the browser renders them.
 */
export class RenderedPages {
  readonly #render: (url: URL) => Promise<RenderedPage>;
  readonly #nowMs: () => number;
  /** By address, oldest first. */
  readonly #kept = new Map<string, { readonly page: Promise<RenderedPage>; readonly untilMs: number }>();
  #left = RENDERS_PER_SECOND;
  #refilledAtMs = 0;

  /** `render` never rejects. */
  constructor(render: (url: URL) => Promise<RenderedPage>, nowMs = (): number => performance.now()) {
    this.#render = render;
    this.#nowMs = nowMs;
  }

  async get(url: URL): Promise<RenderedPage> {
    const nowMs = this.#nowMs();
    for (const [key, { untilMs }] of this.#kept) {
      if (untilMs > nowMs && this.#kept.size <= KEPT_MAX) break;
      this.#kept.delete(key);
    }
    const kept = this.#kept.get(url.href);
    if (kept !== undefined) return kept.page;
    const earned = ((nowMs - this.#refilledAtMs) * RENDERS_PER_SECOND) / 1_000;
    this.#left = Math.min(RENDERS_PER_SECOND, this.#left + earned);
    this.#refilledAtMs = nowMs;
    if (this.#left < 1) return EMPTY_PAGE;
    this.#left -= 1;
    const page = this.#render(url);
    this.#kept.set(url.href, { page, untilMs: nowMs + KEPT_MS });
    return page;
  }
}
