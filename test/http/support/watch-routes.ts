/** Calls routes by name, and holds every answer against what the route table promises. */
import { expect } from "chai";
import type { ErrorCode } from "../../../backend/domain/errors.ts";
import type { Route } from "../../../backend/http/route.ts";
import { routes } from "../../../backend/http/routes/index.ts";
import { expectProblem } from "../../helpers/problem.ts";
import type { Answer, Suite } from "../../helpers/suite.ts";

export interface RouteCall {
  readonly params?: { readonly [name: string]: string };
  readonly query?: string;
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
}

/** What any route may answer besides its own codes. */
const DOOR: readonly ErrorCode[] = [
  "BAD_JSON",
  "VALIDATION_FAILED",
  "UNKNOWN_FIELD",
  "BODY_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "RATE_LIMITED",
];
const DOOR_OF_TOKENS: readonly ErrorCode[] = ["AUTH_REQUIRED", "TOKEN_INVALID", "TOKEN_EXPIRED", "FORBIDDEN"];
const DOOR_OF_KEYS: readonly ErrorCode[] = ["IDEMPOTENCY_CONFLICT", "IDEMPOTENCY_IN_PROGRESS"];

/** Cannot happen here: the local signers live in the server's own process. */
const BEYOND_REACH: readonly ErrorCode[] = ["SIGNER_UNAVAILABLE"];

function routeOf(name: string): Route {
  const route = routes.find((entry) => entry.name === name);
  if (route === undefined) throw new Error(`There is no route ${name}`);
  return route;
}

const codesOf = (route: Route): readonly ErrorCode[] => [
  ...route.errors,
  ...DOOR,
  ...(route.access === "public" ? [] : DOOR_OF_TOKENS),
  ...(route.creates ? DOOR_OF_KEYS : []),
];

function expectSuccess(route: Route, answer: Answer): void {
  if (typeof answer.body === "string") return;
  let payload = answer.body;
  if (!route.plain) {
    const { ok, requestId, ...rest } = answer.body;
    expect(ok, route.name).to.equal(true);
    expect(requestId, route.name).to.equal(answer.headers.get("x-request-id"));
    payload = rest;
  }
  // Parsing leaves out what the schema does not publish, at any depth: nothing may be missing, nothing added.
  expect(route.response.parse(payload), route.name).to.deep.equal(payload);
}

export type RouteWatch = ReturnType<typeof watchRoutes>;

export function watchRoutes(suite: () => Suite) {
  const seen = new Map<string, Set<string>>();

  async function call(name: string, options: RouteCall = {}): Promise<Answer> {
    const route = routeOf(name);
    const path = Object.entries(options.params ?? {}).reduce(
      (text, [key, value]) => text.replace(`{${key}}`, value),
      route.path,
    );
    const answer = await suite().request(route.method, path + (options.query ?? ""), options);
    const codes = seen.get(name) ?? new Set();
    seen.set(name, codes);
    if (answer.status < 300) {
      codes.add("success");
      expectSuccess(route, answer);
    } else {
      codes.add(answer.body.code);
      expectProblem(answer, answer.body.code);
      expect(answer.body.code, `${name} answers a code that its table does not hold`).to.be.oneOf(codesOf(route));
    }
    return answer;
  }

  return {
    call,

    /** Calls and wants this failure. */
    async refuse(name: string, code: ErrorCode, options: RouteCall = {}): Promise<Answer> {
      const answer = await call(name, options);
      expect(answer.body.code, `${name} ${JSON.stringify(answer.body)}`).to.equal(code);
      return answer;
    },

    /** Calls and wants a success. */
    async succeed(name: string, options: RouteCall = {}): Promise<Answer> {
      const answer = await call(name, options);
      expect(answer.body.code, `${name} ${JSON.stringify(answer.body)}`).to.equal(undefined);
      return answer;
    },

    /** Each of these routes has shown its success and every code of its table. */
    expectComplete(names: readonly string[]): void {
      const missing = names.flatMap((name) => {
        const wanted = ["success", ...routeOf(name).errors.filter((code) => !BEYOND_REACH.includes(code))];
        return wanted.filter((code) => !seen.get(name)?.has(code)).map((code) => `${name}: ${code}`);
      });
      expect(missing).to.deep.equal([]);
    },
  };
}
