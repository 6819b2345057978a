/** The document's title. The server writes the first one; a page updates it when it has loaded its data. */
import { useEffect } from "preact/hooks";
import { toDocumentTitle } from "../domain/site.ts";

/** Sets the title while the page is shown; null keeps the current title. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = toDocumentTitle(title);
  }, [title]);
}
