/** Links of the first version kept the page in the fragment: `/#/watch/flappybots/<id>`. */
import { toSitePath } from "../domain/site.ts";

/** The path of today for an old fragment; null where it is none. */
export function toPathOfOldLink(hash: string): string | null {
  const [, page, slug, sessionId] = /^#\/(\w*)\/?([^/]*)\/?([^/]*)/.exec(hash) ?? [];
  if (page === undefined) return null;
  if (page === "") return toSitePath("home");
  if (page === "watch" && sessionId) return toSitePath("watch", { id: sessionId });
  if ((page === "practice" || page === "practise") && slug) return toSitePath("practice", { game: slug });
  return `/${page}`;
}

/** Sends old links on, those that are pasted into the address of an open page as well. */
export function redirectOldLinks(): void {
  const redirect = (): void => {
    const path = toPathOfOldLink(location.hash);
    if (path !== null) location.replace(path);
  };
  redirect();
  addEventListener("hashchange", redirect);
}
