/** `/openapi.json` as the reference shows it. */
export interface Field {
  readonly name: string;
  readonly in: "path" | "query";
  readonly isRequired: boolean;
  readonly description: string;
  readonly example: string;
}

export interface Operation {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** Names of the kinds of tokens; empty where none is needed. */
  readonly schemes: readonly string[];
  readonly fields: readonly Field[];
  /** JSON to begin with; null where the call takes no body. */
  readonly body: string | null;
  readonly example: string | null;
  readonly errors: readonly string[];
}

interface Examples {
  readonly example?: unknown;
  readonly examples?: { readonly [name: string]: { readonly value: unknown } };
}

interface RawOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly { readonly [scheme: string]: unknown }[];
  readonly parameters: readonly {
    readonly $ref?: string;
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly example?: unknown;
    readonly schema?: { readonly example?: unknown; readonly default?: unknown };
  }[];
  readonly requestBody?: { readonly content: { readonly "application/json": Examples } };
  readonly responses: { readonly [status: string]: { readonly content?: { readonly [media: string]: Examples } } };
  readonly "x-error-codes"?: readonly string[];
}

const getExample = (content: Examples | undefined): unknown =>
  content?.example ?? Object.values(content?.examples ?? {})[0]?.value;

const toText = (value: unknown): string => (value === undefined ? "" : String(value));

function toOperation(path: string, method: string, raw: RawOperation): Operation {
  const success = Object.entries(raw.responses).find(([status]) => status.startsWith("2"))?.[1];
  const example = getExample(success?.content?.["application/json"]);
  const hasBody = raw.requestBody !== undefined;
  return {
    name: raw.operationId,
    method: method.toUpperCase() as Operation["method"],
    path,
    tag: raw.tags[0] ?? "",
    summary: raw.summary,
    schemes: raw.security.flatMap((choice) => Object.keys(choice)),
    fields: raw.parameters
      .filter((field) => field.$ref === undefined && (field.in === "path" || field.in === "query"))
      .map((field) => ({
        name: field.name,
        in: field.in as Field["in"],
        isRequired: field.required ?? false,
        description: field.description ?? "",
        example: field.in === "path" ? toText(field.example ?? field.schema?.example) : "",
      })),
    body: hasBody ? JSON.stringify(getExample(raw.requestBody.content["application/json"]) ?? {}, null, 2) : null,
    example: example === undefined ? null : JSON.stringify(example, null, 2),
    errors: raw["x-error-codes"] ?? [],
  };
}

/** Every call of the service. Throws where the document cannot be read. */
export async function loadOperations(signal: AbortSignal): Promise<readonly Operation[]> {
  const response = await fetch("/openapi.json", { signal });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const { paths } = (await response.json()) as {
    readonly paths: { readonly [path: string]: { readonly [method: string]: RawOperation } };
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => toOperation(path, method, raw)),
  );
}

/** The address of a call with its fields filled in; it never leaves this service. */
export function toRequestPath(operation: Operation, values: { readonly [name: string]: string }): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  const query = new URLSearchParams();
  for (const field of operation.fields)
    if (field.in === "query" && (values[field.name] ?? "") !== "") query.set(field.name, values[field.name]!);
  return query.size === 0 ? path : `${path}?${query}`;
}
