/** `/docs`: the guides, the reference of every call, and the documents for programs. */
import { GUIDES } from "../../domain/guides.ts";
import { PageHead } from "../components/page-head.tsx";
import { DOCS_LABELS } from "../labels/docs.ts";

const DOCUMENTS = [
  ["/docs/errors", DOCS_LABELS.errors],
  ["/openapi.json", DOCS_LABELS.openapi],
  ["/asyncapi.json", DOCS_LABELS.asyncapi],
  ["/skill.md", DOCS_LABELS.skill],
] as const;

export const DocsPage = () => (
  <>
    <PageHead title={DOCS_LABELS.title} lead={DOCS_LABELS.intro} />
    <section aria-labelledby="guides-title">
      <h2 id="guides-title">{DOCS_LABELS.guides}</h2>
      <ul class="guide-list">
        {Object.entries(GUIDES).map(([name, { title, summary }]) => (
          <li key={name}>
            <a class="panel" href={`/docs/guides/${name}`}>
              <b>{title}</b>
              <span>{summary}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
    <section class="section" aria-labelledby="reference-title">
      <h2 id="reference-title">{DOCS_LABELS.reference}</h2>
      <p>
        <a class="button" href="/docs/reference">
          {DOCS_LABELS.everyCall}
        </a>
      </p>
      <ul class="link-list">
        {DOCUMENTS.map(([href, label]) => (
          <li key={href}>
            <a href={href}>{label}</a>
          </li>
        ))}
      </ul>
    </section>
  </>
);
