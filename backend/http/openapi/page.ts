/** `/docs/reference`: the OpenAPI document as a page to read. */

import type { OpenApiDocument } from "./document.ts";
import { escapeHtml, renderJson, renderPage, renderProse } from "./html.ts";

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: {
    readonly type?: unknown;
    readonly enum?: readonly unknown[];
    readonly default?: unknown;
    readonly examples?: readonly unknown[];
  };
}

interface Examples {
  readonly example?: unknown;
  readonly examples?: { readonly [name: string]: { readonly value: unknown } };
}

function listExamples(content: Examples | undefined): readonly (readonly [name: string, value: unknown])[] {
  if (content?.example !== undefined) return [["default", content.example]];
  return Object.entries(content?.examples ?? {}).map(([name, { value }]) => [name, value]);
}

const renderExamples = (title: string, examples: ReturnType<typeof listExamples>): string =>
  examples
    .map(
      ([name, value]) => `<h4>${title}${name === "default" ? "" : ` (${escapeHtml(name)})`}</h4>${renderJson(value)}`,
    )
    .join("\n");

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly { readonly [scheme: string]: unknown }[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: {
      readonly "application/json": Examples & {
        readonly schema: {
          readonly required?: readonly string[];
          readonly properties?: { readonly [name: string]: Parameter["schema"] & { readonly description?: string } };
        };
      };
    };
  };
  readonly responses: {
    readonly [status: string]: {
      readonly content: { readonly [media: string]: Examples };
    };
  };
  readonly "x-error-codes": readonly string[];
}

const TOKEN_HEADERS: { readonly [scheme: string]: string } = {
  accessToken: "Authorization: Bearer <access token>",
  practiceToken: "Authorization: Bearer <practice token>",
  adminToken: "Authorization: Bearer <admin token>",
};

function renderSecurity(security: Operation["security"]): string {
  const schemes = security
    .flatMap((choice) => Object.keys(choice))
    .map((scheme) => `<code>${escapeHtml(TOKEN_HEADERS[scheme] ?? scheme)}</code>`);
  if (schemes.length === 0) return "No token.";
  const optional = security.some((choice) => Object.keys(choice).length === 0);
  return `${schemes.join(" or ")}${optional ? ", if you have one" : ""}.`;
}

function renderParameterRow({ name, in: location, required, description, schema }: Parameter): string {
  const typeText = schema.enum === undefined ? String(schema.type ?? "") : schema.enum.map(String).join(" | ");
  const defaultText = schema.default === undefined ? "" : ` (default ${String(schema.default)})`;
  return `<tr><td><code>${escapeHtml(name)}</code>${required ? " *" : ""}</td><td>${location}</td><td>${escapeHtml(typeText + defaultText)}</td><td>${renderProse(description ?? "")}</td></tr>`;
}

/** The body's fields, in the form of parameters. */
function toBodyParameters({ requestBody }: Operation): Parameter[] {
  const schema = requestBody?.content["application/json"].schema;
  return Object.entries(schema?.properties ?? {}).map(([name, { description, ...inner }]) => ({
    name,
    in: "body",
    required: schema?.required?.includes(name) ?? false,
    ...(description === undefined ? {} : { description }),
    schema: inner,
  }));
}

/** A command that makes the call, with the examples of the parameters; `SESSION_ID` if there is none. */
function renderCommand(url: string, method: string, operation: Operation): string {
  const examples = new Map(operation.parameters.map(({ name, schema }) => [name, schema?.examples?.[0]]));
  const toPlaceholder = (name: string): string => name.replaceAll(/[A-Z]/g, "_$&").toUpperCase();
  const address = url.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(examples.get(name) ?? toPlaceholder(name)));
  const [scheme] = operation.security.flatMap((choice) => Object.keys(choice));
  const [body] = listExamples(operation.requestBody?.content["application/json"]);
  const bodyText = JSON.stringify(body?.[1] ?? {}, null, 2).replaceAll("'", "'\\''");
  const parts = [
    `curl ${address}`,
    ...(scheme === undefined ? [] : [`-H "${TOKEN_HEADERS[scheme]}"`]),
    ...(method === "post" ? [`-H "Content-Type: application/json" -d '${bodyText}'`] : []),
  ];
  return `<h4>Call</h4><pre>${escapeHtml(parts.join(" \\\n  "))}</pre>`;
}

interface Call {
  readonly server: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function renderOperation({ server, method, path, operation }: Call): string {
  const parameters = [
    ...operation.parameters.filter((parameter) => parameter.$ref === undefined),
    ...toBodyParameters(operation),
  ];
  const isIdempotent = operation.parameters.some((parameter) => parameter.$ref !== undefined);
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"));
  const codes = operation["x-error-codes"];
  return `<details id="${escapeHtml(operation.operationId)}">
<summary><span class="method ${method}">${method.toUpperCase()}</span><code>${escapeHtml(path)}</code><span class="prose">${renderProse(operation.summary)}</span></summary>
<div>
<p>${renderSecurity(operation.security)}${operation.description === undefined ? "" : ` ${renderProse(operation.description)}`}${isIdempotent ? " Takes an <code>Idempotency-Key</code>." : ""}</p>
${parameters.length === 0 ? "" : `<table><tr><th>field</th><th>in</th><th>form</th><th></th></tr>${parameters.map(renderParameterRow).join("")}</table>`}
${renderCommand(`${server}${path}`, method, operation)}
${renderExamples("Request", listExamples(operation.requestBody?.content["application/json"]).slice(1))}
${renderExamples("Response", listExamples(success?.[1].content["application/json"]))}
<h4>Errors</h4><p>${codes.map((code) => `<a href="/docs/errors#${code}"><code>${code}</code></a>`).join(" ")}</p>
</div>
</details>`;
}

/** One HTML page for the whole document, grouped by tag. */
export function renderDocsPage(document: OpenApiDocument): string {
  const tags = document.tags as readonly { readonly name: string; readonly description: string }[];
  const server = (document.servers as readonly [{ readonly url: string }])[0].url.replace(/\/$/, "");
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...{ server, path, method },
      operation: operation as unknown as Operation,
    })),
  );
  const groups = tags.map(({ name, description }) => {
    const taggedOperations = operations.filter(({ operation }) => operation.tags[0] === name);
    const sections = taggedOperations.map(renderOperation);
    return `<h2 id="tag-${escapeHtml(name)}">${escapeHtml(name)}</h2>\n<p class="prose">${renderProse(description)}</p>\n${sections.join("\n")}`;
  });
  const info = document.info as { readonly description: string };
  return renderPage(
    "Agent Arcade: HTTP interface",
    `<h1>Agent Arcade: HTTP interface</h1>
<p>${renderProse(info.description)}</p>
<nav aria-label="Documents"><a href="/docs">guides</a><a href="/openapi.json">openapi.json</a><a href="/asyncapi.json">asyncapi.json</a><a href="/docs/errors">errors</a><a href="/api/agent-instructions">agent instructions</a><a href="/skill.md">skill.md</a></nav>
<nav aria-label="Groups of calls">${tags.map(({ name }) => `<a href="#tag-${escapeHtml(name)}">${escapeHtml(name)}</a>`).join("")}</nav>
${groups.join("\n")}`,
  );
}
