/** One guide of `docs/`. */

import { GUIDES, isGuideName } from "../../domain/guides.ts";
import { Load } from "../components/load.tsx";
import { EmptyState } from "../components/states.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { GUIDE_PAGES } from "../docs/guides.ts";
import { DOCS_LABELS } from "../labels/docs.ts";
import type { PageProps } from "../page-props.ts";
import { useTitle } from "../title.ts";

export function GuidePage({ params }: PageProps) {
  const name = params.guide ?? "";
  const guide = isGuideName(name) ? name : null;
  useTitle(guide === null ? null : GUIDES[guide].title);
  const loaded = useLoaded("guide", async () => (guide === null ? "" : (await GUIDE_PAGES[guide]()).default), [guide]);
  return (
    <>
      <p>
        <a href="/docs">{DOCS_LABELS.back}</a>
      </p>
      {guide === null ? (
        <EmptyState>{DOCS_LABELS.missing}</EmptyState>
      ) : (
        <Load loaded={loaded}>{(html) => <Guide html={html} />}</Load>
      )}
    </>
  );
}

const Guide = ({ html }: { readonly html: string }) => (
  // Made from our own documents when the site was bundled.
  <article class="guide" dangerouslySetInnerHTML={{ __html: html }} />
);
