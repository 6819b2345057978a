/** A guide on the page. Its text is never inserted as HTML, so no script in it can run. */
import { isGuideName } from "../../domain/guides.ts";
import { type Block, type Inline, parseInline, parseMarkdown, toAnchor } from "./markdown.ts";

export const MarkdownView = ({ text }: { readonly text: string }) => (
  <article class="guide">
    <Blocks blocks={parseMarkdown(text)} />
  </article>
);

const Blocks = ({ blocks }: { readonly blocks: readonly Block[] }) => (
  <>
    {blocks.map((block, index) => (
      <BlockView key={index} block={block} />
    ))}
  </>
);

function BlockView({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case "heading":
      return <Heading level={block.level} text={block.text} />;
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard
        <pre tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return (
        <blockquote>
          <Spans text={block.text} />
        </blockquote>
      );
    case "list":
      return <List block={block} />;
    case "table":
      return <TableView head={block.head} rows={block.rows} />;
    case "paragraph":
      return (
        <p>
          <Spans text={block.text} />
        </p>
      );
  }
}

function Heading({ level, text }: { readonly level: number; readonly text: string }) {
  const id = toAnchor(text);
  if (level === 1) return <h1 id={id}>{<Spans text={text} />}</h1>;
  if (level === 2) return <h2 id={id}>{<Spans text={text} />}</h2>;
  return <h3 id={id}>{<Spans text={text} />}</h3>;
}

function List({ block: { isOrdered, items } }: { readonly block: Extract<Block, { kind: "list" }> }) {
  const children = items.map((blocks, index) => (
    <li key={index}>
      <Blocks blocks={blocks} />
    </li>
  ));
  return isOrdered ? <ol>{children}</ol> : <ul>{children}</ul>;
}

interface TableViewProps {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const TableView = ({ head, rows }: TableViewProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard
  <div class="table-box" tabIndex={0}>
    <table class="table">
      <thead>
        <tr>
          {head.map((cell, index) => (
            <th key={index} scope="col">
              <Spans text={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (
              <td key={column}>
                <Spans text={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const Spans = ({ text }: { readonly text: string }) => (
  <>
    {parseInline(text).map((span, index) => (
      <Span key={index} span={span} />
    ))}
  </>
);

function Span({ span }: { readonly span: Inline }) {
  switch (span.kind) {
    case "text":
      return <>{span.text}</>;
    case "code":
      return <code>{span.text}</code>;
    case "strong":
      return (
        <strong>
          <Spans text={span.text} />
        </strong>
      );
    case "emphasis":
      return <em>{span.text}</em>;
    case "link": {
      const href = toSiteHref(span.href);
      return href === null ? <Spans text={span.text} /> : <a href={href}>{<Spans text={span.text} />}</a>;
    }
  }
}

/** A link of a guide on the site; null for a file that the site does not show. */
function toSiteHref(href: string): string | null {
  if (/^https?:\/\//.test(href) || href.startsWith("#") || href.startsWith("/")) return href;
  const guide = /^(?:\.\/|docs\/)?([\w-]+)\.md(#.*)?$/.exec(href);
  if (guide === null) return null;
  const [, name = "", anchor = ""] = guide;
  if (name === "errors") return `/docs/errors${anchor}`;
  return isGuideName(name) ? `/docs/guides/${name}${anchor}` : null;
}
