/** Requests that nobody should send, made from the route table's own schemas; a seed makes the same ones again. */
import fc from "fast-check";
import { exampleOf, type JsonSchema, jsonSchemaOf } from "../../../backend/http/openapi-schema.ts";
import type { Route } from "../../../backend/http/route.ts";
import { routes } from "../../../backend/http/routes/index.ts";

export interface RawRequest {
  /** What is wrong with it. */
  readonly fault: string;
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer | null;
}

/** Real values, so that some requests come past the door and fail further inside. */
export interface Surroundings {
  readonly slug: string;
  readonly wallet: string;
  readonly sessionIds: readonly string[];
  readonly tokens: readonly string[];
}

/** Draws of one seed. */
interface Pick {
  integer(min: number, max: number): number;
  json(): unknown;
  text(): string;
}

type Fields = { [field: string]: unknown };

/** JSON has a larger number than JavaScript; written in after the rest is text. */
const HUGE = "@huge@";
const NUMBERS = [-1, 0, 0.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, HUGE, "1e309", "-0", "9".repeat(100)];
const TEXTS = ["", " ", "\0", "\ud800", "\u202eabc\u200b", "é".repeat(400), "0x", `0x${"f".repeat(64)}`, "../../etc"];
const OTHERS: readonly unknown[] = [null, true, [], {}, [[[]]], { toString: 1 }, "a".repeat(3000)];
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
  ["Idempotency-Key", ["", "é", "k".repeat(500), "a b"]],
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

/** Numbers from mulberry32, strange values from a pool of fast-check: to ask it for each one costs seconds. */
function pickBy(seed: number): Pick {
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
  return { integer, json: () => jsons[integer(0, POOL - 1)], text: () => texts[integer(0, POOL - 1)]! };
}

const oneOf = <T>(pick: Pick, values: readonly T[]): T => values[pick.integer(0, values.length - 1)]!;
const chance = (pick: Pick, percent: number): boolean => pick.integer(1, 100) <= percent;

function wrongValue(pick: Pick): unknown {
  const kind = oneOf(pick, ["number", "text", "other", "json", "binary"]);
  if (kind === "number") return oneOf(pick, NUMBERS);
  if (kind === "text") return oneOf(pick, TEXTS);
  if (kind === "other") return oneOf(pick, OTHERS);
  return kind === "json" ? pick.json() : pick.text();
}

const schemas = new Map<object, JsonSchema>();

function schemaOf(schema: NonNullable<Route["body"]>): JsonSchema {
  const known = schemas.get(schema) ?? jsonSchemaOf(schema);
  schemas.set(schema, known);
  return known;
}

/** A body that fits, as far as the schema's words tell. */
function fittingBody(route: Route, around: Surroundings, pick: Pick): Fields {
  const made = route.exampleBody ?? (route.body === undefined ? {} : exampleOf(schemaOf(route.body)));
  const body: Fields = { ...(made as Fields) };
  for (const name of ["walletAddress", "address"]) if (name in body) body[name] = around.wallet;
  if ("sessionId" in body) body.sessionId = oneOf(pick, around.sessionIds);
  return body;
}

/** The fields that a schema knows, those that may be left out too. */
function fieldsOf(schema: Route["body"]): readonly string[] {
  if (schema === undefined) return [];
  const { properties, anyOf, oneOf: branches } = schemaOf(schema);
  const parts = (anyOf ?? branches ?? [{ properties }]) as readonly { properties?: object }[];
  return parts.flatMap((part) => Object.keys(part.properties ?? {}));
}

const nest = (depth: number, value: unknown): unknown => (depth === 0 ? value : { a: nest(depth - 1, value) });

/** Breaks one thing of a body. Answers what it broke, and the bytes. */
function breakBody(route: Route, body: Fields, pick: Pick): { readonly fault: string; readonly body: Buffer } {
  const fields = [...new Set([...fieldsOf(route.body), ...Object.keys(body), "extra"])];
  const field = oneOf(pick, fields);
  const write = (value: unknown): string => JSON.stringify(value).replaceAll(`"${HUGE}"`, "1e400");
  const fault = oneOf(pick, [
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
    value: () => write({ ...body, [field]: wrongValue(pick) }),
    missing: () => write(Object.fromEntries(Object.entries(body).filter(([name]) => name !== field))),
    unknown: () => write({ ...body, [pick.text()]: wrongValue(pick) }),
    nested: () => write({ ...body, [field]: nest(pick.integer(5, 600), 1) }),
    whole: () => write(wrongValue(pick)),
    cut: () => write(body).slice(0, -pick.integer(1, 4)),
    bytes: () => write(body),
    large: () => write({ ...body, [field]: "x".repeat(pick.integer(16_000, 200_000)) }),
    proto: () => `{"${oneOf(pick, ["__proto__", "constructor", "prototype"])}":${write(wrongValue(pick))}}`,
  }[fault]!();
  const bytes = Buffer.from(text);
  if (fault !== "bytes") return { fault, body: bytes };
  const spoilt = Uint8Array.from({ length: pick.integer(1, 40) }, () => pick.integer(0, 255));
  return { fault, body: Buffer.concat([bytes.subarray(0, bytes.length - 2), spoilt, bytes.subarray(-2)]) };
}

function fittingPath(route: Route, around: Surroundings, pick: Pick): string {
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === "slug") return around.slug;
    return name === "sessionId" ? oneOf(pick, around.sessionIds) : "1";
  });
}

function breakPath(route: Route, path: string, pick: Pick): string {
  if (!route.path.includes("{")) return `${path}${oneOf(pick, ["/", "//", "/%00", "/..", "%2f", ";a", "é"])}`;
  return route.path.replaceAll(/\{\w+\}/g, () =>
    chance(pick, 70) ? oneOf(pick, SEGMENTS) : encodeURIComponent(pick.text().toWellFormed()),
  );
}

function breakQuery(route: Route, pick: Pick): string {
  const names = [...fieldsOf(route.query), "limit", "__proto__", "a[b]", "%ff"];
  const pairs = Array.from({ length: pick.integer(1, 4) }, () => {
    const value = wrongValue(pick);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${oneOf(pick, names)}=${chance(pick, 20) ? oneOf(pick, SEGMENTS) : encodeURIComponent(text.toWellFormed())}`;
  });
  return `?${pairs.join(oneOf(pick, ["&", "&&", ";"]))}`;
}

/** One request with at least one thing wrong, mostly with a good token so that the token is not all that fails. */
function makeRequest(around: Surroundings, pick: Pick): RawRequest {
  const route = oneOf(pick, routes);
  const isPost = route.method === "POST";
  const headers: { [name: string]: string } = isPost ? { "Content-Type": "application/json" } : {};
  if (chance(pick, 75)) headers.Authorization = `Bearer ${oneOf(pick, around.tokens)}`;
  const path = fittingPath(route, around, pick);
  const fitting = fittingBody(route, around, pick);
  const plain: RawRequest = {
    fault: "none",
    method: route.method,
    path,
    headers,
    body: isPost ? Buffer.from(JSON.stringify(fitting)) : null,
  };
  const fault = oneOf(pick, [
    ...(isPost ? ["body", "body", "body", "body", "media"] : []),
    "path",
    "query",
    "token",
    "header",
    "method",
  ]);
  switch (fault) {
    case "body": {
      const broken = breakBody(route, fitting, pick);
      return { ...plain, fault: `body ${broken.fault}`, body: broken.body };
    }
    case "media": {
      const encoding = chance(pick, 30) ? { "Content-Encoding": oneOf(pick, ["gzip", "deflate", "br", "zz"]) } : {};
      return { ...plain, fault, headers: { ...headers, "Content-Type": oneOf(pick, MEDIA), ...encoding } };
    }
    case "path":
      return { ...plain, fault, path: breakPath(route, path, pick) };
    case "query":
      return { ...plain, fault, path: path + breakQuery(route, pick) };
    case "token":
      return { ...plain, fault, headers: { ...headers, Authorization: oneOf(pick, TOKENS) } };
    case "method":
      return {
        ...plain,
        fault,
        method: oneOf(
          pick,
          METHODS.filter((method) => method !== route.method),
        ),
      };
    default: {
      const [name, values] = oneOf(pick, HEADERS);
      return { ...plain, fault, headers: { ...headers, [name]: oneOf(pick, values) } };
    }
  }
}

/** Requests without end, the same ones for a seed. */
export function* malformedRequests(around: Surroundings, seed: number): Generator<RawRequest, never> {
  const pick = pickBy(seed);
  for (;;) yield makeRequest(around, pick);
}
