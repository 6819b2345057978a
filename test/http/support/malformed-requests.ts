/** Malformed requests, generated from the schemas of the route table. A seed always gives the same requests. */
import fc from "fast-check";
import { type JsonSchema, toJsonSchema } from "../../../backend/http/openapi/schema.ts";
import { routes } from "../../../backend/http/routes/index.ts";
import type { Route } from "../../../backend/http/routing/route.ts";

export interface RawRequest {
  /** What is wrong with it. */
  readonly defect: string;
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer | null;
}

/** Real values, so that some requests pass validation and fail in a service. */
export interface RequestContext {
  readonly slug: string;
  readonly wallet: string;
  readonly sessionIds: readonly string[];
  readonly tokens: readonly string[];
}

/** Draws of one seed. */
interface RandomSource {
  integer(min: number, max: number): number;
  json(): unknown;
  text(): string;
}

type Fields = { [field: string]: unknown };

/** A JSON number that JavaScript cannot represent, inserted after serialization. */
const HUGE_NUMBER_MARKER = "@huge@";
const NUMBERS = [-1, 0, 0.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, HUGE_NUMBER_MARKER, "1e309", "-0", "9".repeat(100)];
const TEXTS = ["", " ", "\0", "\ud800", "\u202eabc\u200b", "é".repeat(400), "0x", `0x${"f".repeat(64)}`, "../../etc"];
const NON_TEXT_VALUES: readonly unknown[] = [null, true, [], {}, [[[]]], { toString: 1 }, "a".repeat(3000)];
const SEGMENTS = [
  "%00",
  "%ff",
  "%zz",
  "%",
  "..%2f..",
  "é",
  "-1",
  "1e9",
  "9".repeat(90),
  "x".repeat(2000),
  "%F0%9F%A6%80",
];
const TOKENS = ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer aa_unknown", `Bearer ${"x".repeat(300)}`, "bearer é"];
const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ["X-Request-Id", ["", "é", "a".repeat(4000), "<script>"]],
  ["Idempotency-Key", ["", "é", "k".repeat(500), "a b", "key-1", "key-2", "key-3"]],
  ["Accept", ["", "*/*;q=x", "text/\xff", "application/octet-stream", `${"a/b,".repeat(800)}c/d`]],
  ["If-None-Match", ["*", 'W/"', `"${"e".repeat(3000)}"`]],
  ["X-Forwarded-For", ["::::", "999.1.1.1", "é", "1,".repeat(500)]],
  ["Origin", ["null", "é", "http://[", "javascript:1"]],
  ["Accept-Encoding", ["zzz", "gzip;q=nan"]],
  ["Expect", ["200-ok", "é"]],
  ["Range", ["bytes=-1", "bytes=9-1"]],
];
const MEDIA = [
  "",
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/json; charset=utf-7",
  "é",
  "/",
  "a/b/c",
];
const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "PROPFIND"];

const POOL = 300;

/** Numbers from mulberry32, strange values from a pool of fast-check, which would take seconds for each value. */
function createRandomSource(seed: number): RandomSource {
  const jsons = fc.sample(fc.jsonValue({ maxDepth: 2 }), { seed, numRuns: POOL });
  const codePoints = fc.array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 60 });
  const texts = fc.sample(codePoints, { seed, numRuns: POOL }).map((points) => String.fromCodePoint(...points));
  let state = seed >>> 0;
  const integer = (min: number, max: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return min + (((mixed ^ (mixed >>> 14)) >>> 0) % (max - min + 1));
  };
  return { integer: integer, json: () => jsons[integer(0, POOL - 1)], text: () => texts[integer(0, POOL - 1)]! };
}

const pickOne = <T>(random: RandomSource, values: readonly T[]): T => values[random.integer(0, values.length - 1)]!;
const happens = (random: RandomSource, percent: number): boolean => random.integer(1, 100) <= percent;

function createWrongValue(random: RandomSource): unknown {
  const kind = pickOne(random, ["number", "text", "other", "json", "binary"]);
  if (kind === "number") return pickOne(random, NUMBERS);
  if (kind === "text") return pickOne(random, TEXTS);
  if (kind === "other") return pickOne(random, NON_TEXT_VALUES);
  return kind === "json" ? random.json() : random.text();
}

const schemas = new Map<object, JsonSchema>();

function getJsonSchema(schema: NonNullable<Route["body"]>): JsonSchema {
  const known = schemas.get(schema) ?? toJsonSchema(schema);
  schemas.set(schema, known);
  return known;
}

/** A body that is valid according to the JSON schema. */
function createValidBody(route: Route, context: RequestContext, random: RandomSource): Fields {
  const exampleBody = route.example.request ?? {};
  const body: Fields = { ...(exampleBody as Fields) };
  for (const name of ["walletAddress", "address"]) if (name in body) body[name] = context.wallet;
  if ("sessionId" in body) body.sessionId = pickOne(random, context.sessionIds);
  return body;
}

/** The fields of a schema, optional ones included. */
function getFieldNames(schema: Route["body"]): readonly string[] {
  if (schema === undefined) return [];
  const { properties, anyOf, oneOf: branches } = getJsonSchema(schema);
  const parts = (anyOf ?? branches ?? [{ properties }]) as readonly { properties?: object }[];
  return parts.flatMap((part) => Object.keys(part.properties ?? {}));
}

const nest = (depth: number, value: unknown): unknown => (depth === 0 ? value : { a: nest(depth - 1, value) });

/** Breaks one part of a body. Returns the broken part and the bytes. */
function corruptBody(
  route: Route,
  body: Fields,
  random: RandomSource,
): { readonly defect: string; readonly body: Buffer } {
  const fields = [...new Set([...getFieldNames(route.body), ...Object.keys(body), "extra"])];
  const field = pickOne(random, fields);
  const write = (value: unknown): string => JSON.stringify(value).replaceAll(`"${HUGE_NUMBER_MARKER}"`, "1e400");
  const defect = pickOne(random, [
    "value",
    "value",
    "value",
    "missing",
    "unknown",
    "nested",
    "whole",
    "cut",
    "bytes",
    "large",
    "proto",
  ]);
  const text = {
    value: () => write({ ...body, [field]: createWrongValue(random) }),
    missing: () => write(Object.fromEntries(Object.entries(body).filter(([name]) => name !== field))),
    unknown: () => write({ ...body, [random.text()]: createWrongValue(random) }),
    nested: () => write({ ...body, [field]: nest(random.integer(5, 600), 1) }),
    whole: () => write(createWrongValue(random)),
    cut: () => write(body).slice(0, -random.integer(1, 4)),
    bytes: () => write(body),
    large: () => write({ ...body, [field]: "x".repeat(random.integer(16_000, 200_000)) }),
    proto: () => `{"${pickOne(random, ["__proto__", "constructor", "prototype"])}":${write(createWrongValue(random))}}`,
  }[defect]!();
  const bytes = Buffer.from(text);
  if (defect !== "bytes") return { defect: defect, body: bytes };
  const corruptBytes = Uint8Array.from({ length: random.integer(1, 40) }, () => random.integer(0, 255));
  return {
    defect: defect,
    body: Buffer.concat([bytes.subarray(0, bytes.length - 2), corruptBytes, bytes.subarray(-2)]),
  };
}

function createValidPath(route: Route, context: RequestContext, random: RandomSource): string {
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === "slug") return context.slug;
    return name === "sessionId" ? pickOne(random, context.sessionIds) : "1";
  });
}

function corruptPath(route: Route, path: string, random: RandomSource): string {
  if (!route.path.includes("{")) return `${path}${pickOne(random, ["/", "//", "/%00", "/..", "%2f", ";a", "é"])}`;
  return route.path.replaceAll(/\{\w+\}/g, () =>
    happens(random, 70) ? pickOne(random, SEGMENTS) : encodeURIComponent(random.text().toWellFormed()),
  );
}

function corruptQuery(route: Route, random: RandomSource): string {
  const names = [...getFieldNames(route.query), "limit", "__proto__", "a[b]", "%ff"];
  const pairs = Array.from({ length: random.integer(1, 4) }, () => {
    const value = createWrongValue(random);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${pickOne(random, names)}=${happens(random, 20) ? pickOne(random, SEGMENTS) : encodeURIComponent(text.toWellFormed())}`;
  });
  return `?${pairs.join(pickOne(random, ["&", "&&", ";"]))}`;
}

/** One request with at least one fault, mostly with a valid token, so that other checks are reached. */
function createRequest(context: RequestContext, random: RandomSource): RawRequest {
  const route = pickOne(random, routes);
  const isPost = route.method === "POST";
  const headers: { [name: string]: string } = isPost ? { "Content-Type": "application/json" } : {};
  if (happens(random, 75)) headers.Authorization = `Bearer ${pickOne(random, context.tokens)}`;
  const path = createValidPath(route, context, random);
  const validBody = createValidBody(route, context, random);
  const plain: RawRequest = {
    defect: "none",
    method: route.method,
    path,
    headers,
    body: isPost ? Buffer.from(JSON.stringify(validBody)) : null,
  };
  const defect = pickOne(random, [
    ...(isPost ? ["body", "body", "body", "body", "media"] : []),
    "path",
    "query",
    "token",
    "header",
    "method",
  ]);
  switch (defect) {
    case "body": {
      const corrupt = corruptBody(route, validBody, random);
      return { ...plain, defect: `body ${corrupt.defect}`, body: corrupt.body };
    }
    case "media": {
      const encoding = happens(random, 30)
        ? { "Content-Encoding": pickOne(random, ["gzip", "deflate", "br", "zz"]) }
        : {};
      return { ...plain, defect: defect, headers: { ...headers, "Content-Type": pickOne(random, MEDIA), ...encoding } };
    }
    case "path":
      return { ...plain, defect: defect, path: corruptPath(route, path, random) };
    case "query":
      return { ...plain, defect: defect, path: path + corruptQuery(route, random) };
    case "token":
      return { ...plain, defect: defect, headers: { ...headers, Authorization: pickOne(random, TOKENS) } };
    case "method":
      return {
        ...plain,
        defect: defect,
        method: pickOne(
          random,
          METHODS.filter((method) => method !== route.method),
        ),
      };
    default: {
      const [name, values] = pickOne(random, HEADERS);
      return { ...plain, defect: defect, headers: { ...headers, [name]: pickOne(random, values) } };
    }
  }
}

/** Endless requests, the same for a seed. */
export function* generateMalformedRequests(context: RequestContext, seed: number): Generator<RawRequest, never> {
  const random = createRandomSource(seed);
  for (;;) yield createRequest(context, random);
}
