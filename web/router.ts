/** Which page the address asks for. Hash routes, so that any file server can serve the viewer. */
import { signal } from "@preact/signals";
import { findGame } from "../backend/games/index.ts";

export type Page =
  | { readonly page: "home" }
  | { readonly page: "watch"; readonly slug: string; readonly sessionId: string }
  | { readonly page: "practise"; readonly slug: string }
  | { readonly page: "nowhere"; readonly path: string };

/** Reads a location hash such as `#/watch/flappybots/0190…`. Unknown games and shapes are `nowhere`. */
export function parsePage(hash: string): Page {
  const path = hash.replace(/^#/, "");
  const [page, slug, sessionId, ...more] = path.split("/").filter((part) => part !== "");
  if (page === undefined) return { page: "home" };
  if (slug !== undefined && findGame(slug) !== undefined && more.length === 0) {
    if (page === "watch" && sessionId !== undefined && /^[0-9a-f-]{36}$/i.test(sessionId)) {
      return { page, slug, sessionId: sessionId.toLowerCase() };
    }
    if (page === "practise" && sessionId === undefined) return { page, slug };
  }
  return { page: "nowhere", path };
}

export const watchPath = (slug: string, sessionId: string): string => `#/watch/${slug}/${sessionId}`;
export const practisePath = (slug: string): string => `#/practise/${slug}`;

/** The page shown now. */
export const currentPage = signal<Page>({ page: "home" });

/** Follows the address bar for as long as the page lives. */
export function followAddress(): void {
  const follow = (): void => {
    currentPage.value = parsePage(location.hash);
  };
  follow();
  addEventListener("hashchange", follow);
}
