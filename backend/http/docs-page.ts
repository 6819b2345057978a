/** `/docs`: the OpenAPI document as a page to read. */
import { escapeHtml, json, page, prose } from "./docs-html.ts";
import type { OpenApiDocument } from "./openapi.ts";

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: { readonly type?: unknown; readonly enum?: readonly unknown[]; readonly default?: unknown };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly { readonly [scheme: string]: unknown }[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: {
      readonly "application/json": {
        readonly example?: unknown;
        readonly schema: {
          readonly required?: readonly string[];
          readonly properties?: { readonly [name: string]: Parameter["schema"] & { readonly description?: string } };
        };
      };
    };
  };
  readonly responses: {
    readonly [status: string]: {
      readonly content: { readonly [media: string]: { readonly example?: unknown } };
    };
  };
  readonly "x-error-codes": readonly string[];
}

const TOKENS: { readonly [scheme: string]: string } = {
  accessToken: "Authorization: Bearer <access token>",
  practiceToken: "Authorization: Bearer <practice token>",
};

function tokenWords(security: Operation["security"]): string {
  const schemes = security
    .flatMap((choice) => Object.keys(choice))
    .map((scheme) => `<code>${escapeHtml(TOKENS[scheme] ?? scheme)}</code>`);
  if (schemes.length === 0) return "No token.";
  const optional = security.some((choice) => Object.keys(choice).length === 0);
  return `${schemes.join(" or ")}${optional ? ", where there is one" : ""}`;
}

function parameterRow({ name, in: place, required, description, schema }: Parameter): string {
  const form = schema.enum === undefined ? String(schema.type ?? "") : schema.enum.map(String).join(" | ");
  const more = schema.default === undefined ? "" : ` (default ${String(schema.default)})`;
  return `<tr><td><code>${escapeHtml(name)}</code>${required ? " *" : ""}</td><td>${place}</td><td>${escapeHtml(form + more)}</td><td>${prose(description ?? "")}</td></tr>`;
}

/** The body's fields, in the form of parameters. */
function bodyFields({ requestBody }: Operation): Parameter[] {
  const schema = requestBody?.content["application/json"].schema;
  return Object.entries(schema?.properties ?? {}).map(([name, { description, ...inner }]) => ({
    name,
    in: "body",
    required: schema?.required?.includes(name) ?? false,
    ...(description === undefined ? {} : { description }),
    schema: inner,
  }));
}

function operationPart(method: string, path: string, operation: Operation): string {
  const parameters = [
    ...operation.parameters.filter((parameter) => parameter.$ref === undefined),
    ...bodyFields(operation),
  ];
  const keyed = operation.parameters.some((parameter) => parameter.$ref !== undefined);
  const request = operation.requestBody?.content["application/json"].example;
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"));
  const codes = operation["x-error-codes"];
  const example = success?.[1].content["application/json"]?.example;
  return `<details id="${escapeHtml(operation.operationId)}">
<summary><span class="method ${method}">${method.toUpperCase()}</span><code>${escapeHtml(path)}</code><span class="words">${prose(operation.summary)}</span></summary>
<div>
<p>${tokenWords(operation.security)}${operation.description === undefined ? "" : ` ${prose(operation.description)}`}${keyed ? " Takes an <code>Idempotency-Key</code>." : ""}</p>
${parameters.length === 0 ? "" : `<table><tr><th>field</th><th>in</th><th>form</th><th></th></tr>${parameters.map(parameterRow).join("")}</table>`}
${request === undefined ? "" : `<h4>Request</h4>${json(request)}`}
${example === undefined ? "" : `<h4>Answer</h4>${json(example)}`}
<h4>Errors</h4><p>${codes.map((code) => `<a href="/docs/errors#${code}"><code>${code}</code></a>`).join(" ")}</p>
</div>
</details>`;
}

/** One HTML page for the whole document, grouped by tag. */
export function docsPage(document: OpenApiDocument): string {
  const tags = document.tags as readonly { readonly name: string; readonly description: string }[];
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: operation as unknown as Operation,
    })),
  );
  const groups = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags[0] === name);
    const parts = own.map(({ method, path, operation }) => operationPart(method, path, operation));
    return `<h2 id="tag-${escapeHtml(name)}">${escapeHtml(name)}</h2>\n<p class="words">${prose(description)}</p>\n${parts.join("\n")}`;
  });
  const info = document.info as { readonly description: string };
  return page(
    "Agent Arcade: HTTP interface",
    `<h1>Agent Arcade: HTTP interface</h1>
<p>${prose(info.description)}</p>
<nav><a href="/openapi.json">openapi.json</a><a href="/asyncapi.json">asyncapi.json</a><a href="/docs/errors">errors</a><a href="/api/agent-instructions">agent instructions</a><a href="/skill.md">skill.md</a></nav>
<nav>${tags.map(({ name }) => `<a href="#tag-${escapeHtml(name)}">${escapeHtml(name)}</a>`).join("")}</nav>
${groups.join("\n")}`,
  );
}
