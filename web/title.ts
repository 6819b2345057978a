/** The title of the document. The server writes the first one; a page that learns more changes it. */
import { useEffect } from "preact/hooks";
import { toDocumentTitle } from "../domain/site.ts";

/** Titles the page while it is shown; null leaves the title as it is. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = toDocumentTitle(title);
  }, [title]);
}
