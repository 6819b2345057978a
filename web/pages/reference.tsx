/** Every call of the service, to read and to try. */
import { useSignal } from "@preact/signals";
import { Load } from "../components/load.tsx";
import { PageHead } from "../components/page-head.tsx";
import { EmptyState } from "../components/states.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { loadOperations, type Operation } from "../docs/openapi.ts";
import { TryIt } from "../docs/try-it.tsx";
import { DOCS_LABELS } from "../labels/docs.ts";

export function ReferencePage() {
  const loaded = useLoaded(loadOperations, []);
  const filter = useSignal("");
  return (
    <>
      <p>
        <a href="/docs">{DOCS_LABELS.back}</a>
      </p>
      <PageHead title={DOCS_LABELS.reference} lead={DOCS_LABELS.tryItText}>
        <label class="form">
          {DOCS_LABELS.filter}
          <input
            type="search"
            value={filter.value}
            onInput={({ currentTarget }) => {
              filter.value = currentTarget.value;
            }}
          />
        </label>
      </PageHead>
      <Load loaded={loaded}>
        {(operations) => <Operations operations={operations} filter={filter.value.trim().toLowerCase()} />}
      </Load>
    </>
  );
}

function Operations({ operations, filter }: { readonly operations: readonly Operation[]; readonly filter: string }) {
  const found = operations.filter(({ name, path }) => `${name} ${path}`.toLowerCase().includes(filter));
  if (found.length === 0) return <EmptyState>{DOCS_LABELS.noMatch}</EmptyState>;
  const tags = [...new Set(found.map(({ tag }) => tag))];
  return (
    <>
      {tags.map((tag) => (
        <section key={tag} class="section" aria-labelledby={`tag-${tag}`}>
          <h2 id={`tag-${tag}`}>{tag}</h2>
          {found
            .filter((operation) => operation.tag === tag)
            .map((operation) => (
              <OperationView key={operation.name} operation={operation} />
            ))}
        </section>
      ))}
    </>
  );
}

function OperationView({ operation }: { readonly operation: Operation }) {
  const isOpen = useSignal(false);
  const { name, method, path, summary, schemes, example, errors } = operation;
  return (
    <details
      class="operation"
      id={name}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>
        <b class={`method method-${method.toLowerCase()}`}>{method}</b>
        <code>{path}</code>
        <span>{summary}</span>
      </summary>
      {isOpen.value && (
        <div class="operation-body">
          <p class="quiet">{DOCS_LABELS.access(schemes)}</p>
          <TryIt operation={operation} />
          {example !== null && (
            <details>
              <summary>{DOCS_LABELS.example}</summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard */}
              <pre tabIndex={0}>
                <code>{example}</code>
              </pre>
            </details>
          )}
          <p class="quiet">
            {`${DOCS_LABELS.errorsOfCall}: `}
            {errors.map((code) => (
              <a key={code} class="error-code" href={`/docs/errors#${code}`}>
                {code}
              </a>
            ))}
          </p>
        </div>
      )}
    </details>
  );
}
