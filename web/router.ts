/** Which page the address asks for. Hash routes, so that any file server can serve the viewer. */
import { signal } from "@preact/signals";
import { findGame } from "../backend/games/index.ts";

export type Page =
  | { readonly page: "home" }
  | { readonly page: "watch"; readonly slug: string; readonly sessionId: string }
  | { readonly page: "practice"; readonly slug: string }
  | { readonly page: "not-found"; readonly path: string };

/** Reads a location hash such as `#/watch/flappybots/0190…`. Unknown games and shapes are `not-found`. */
export function parsePage(hash: string): Page {
  const path = hash.replace(/^#/, "");
  const [page, slug, sessionId, ...rest] = path.split("/").filter((part) => part !== "");
  if (page === undefined) return { page: "home" };
  if (slug !== undefined && findGame(slug) !== undefined && rest.length === 0) {
    if (page === "watch" && sessionId !== undefined && /^[0-9a-f-]{36}$/i.test(sessionId)) {
      return { page, slug, sessionId: sessionId.toLowerCase() };
    }
    // Links of the first version say `practise`.
    if ((page === "practice" || page === "practise") && sessionId === undefined) return { page: "practice", slug };
  }
  return { page: "not-found", path };
}

export const toWatchPath = (slug: string, sessionId: string): string => `#/watch/${slug}/${sessionId}`;
export const toPracticePath = (slug: string): string => `#/practice/${slug}`;

/** The page shown now. */
export const currentPage = signal<Page>({ page: "home" });

/** Follows the address bar for as long as the page lives. */
export function startRouter(): void {
  const update = (): void => {
    currentPage.value = parsePage(location.hash);
  };
  update();
  addEventListener("hashchange", update);
}
