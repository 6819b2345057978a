/** Calls routes by name, and checks every response against the route's definition. */
import { expect } from "chai";
import type { ErrorCode } from "../../../backend/domain/errors.ts";
import { getErrorCodes, getOwnErrorCodes } from "../../../backend/http/openapi/error-codes.ts";
import type { Route } from "../../../backend/http/route.ts";
import { routes } from "../../../backend/http/routes/index.ts";
import { expectProblem } from "../../helpers/problem.ts";
import type { ApiResponse, TestStack } from "../../helpers/suite.ts";

export interface RouteCall {
  readonly params?: { readonly [name: string]: string };
  readonly query?: string;
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
}

/** Cannot happen in these tests: the local signers run in the server's own process. */
const UNREACHABLE_CODES: readonly ErrorCode[] = ["SIGNER_UNAVAILABLE"];

function getRoute(name: string): Route {
  const route = routes.find((entry) => entry.name === name);
  if (route === undefined) throw new Error(`There is no route ${name}`);
  return route;
}

const listTests = (suite: Mocha.Suite): readonly Mocha.Test[] => [...suite.tests, ...suite.suites.flatMap(listTests)];

function checkSuccess(route: Route, response: ApiResponse): void {
  if (typeof response.body === "string") return;
  let payload = response.body;
  if (!route.plain) {
    const { ok, requestId, ...rest } = response.body;
    expect(ok, route.name).to.equal(true);
    expect(requestId, route.name).to.equal(response.headers.get("x-request-id"));
    payload = rest;
  }
  // Parsing drops fields that the schema does not have, at any depth: nothing may be missing or added.
  expect(route.response.parse(payload), route.name).to.deep.equal(payload);
}

export type RouteTester = ReturnType<typeof createRouteTester>;

export function createRouteTester(stack: () => TestStack) {
  const seenCodes = new Map<string, Set<string>>();

  async function call(name: string, options: RouteCall = {}): Promise<ApiResponse> {
    const route = getRoute(name);
    const path = Object.entries(options.params ?? {}).reduce(
      (text, [key, value]) => text.replace(`{${key}}`, value),
      route.path,
    );
    const response = await stack().request(route.method, path + (options.query ?? ""), options);
    const codes = seenCodes.get(name) ?? new Set();
    seenCodes.set(name, codes);
    if (response.status < 300) {
      codes.add("success");
      checkSuccess(route, response);
    } else {
      codes.add(response.body.code);
      expectProblem(response, response.body.code);
      expect(response.body.code, `${name} answered a code that it does not declare`).to.be.oneOf(getErrorCodes(route));
    }
    return response;
  }

  return {
    call,

    /** Calls a route and expects this error. */
    async expectError(name: string, code: ErrorCode, options: RouteCall = {}): Promise<ApiResponse> {
      const response = await call(name, options);
      expect(response.body.code, `${name} ${JSON.stringify(response.body)}`).to.equal(code);
      return response;
    },

    /** Calls a route and expects a success. */
    async expectSuccess(name: string, options: RouteCall = {}): Promise<ApiResponse> {
      const response = await call(name, options);
      expect(response.body.code, `${name} ${JSON.stringify(response.body)}`).to.equal(undefined);
      return response;
    },

    /**
     * After all tests of the suite: each of these routes has shown its success and every code of its own. A run of
     * single tests (`--grep`) or one with failures is not checked. `shownElsewhere` are `route: CODE` of other files.
     */
    checkCodesAfterAll(names: readonly string[], shownElsewhere: readonly string[] = []): void {
      after("every code of the routes was shown", function () {
        if (!listTests(this.test!.parent!).every(({ state }) => state === "passed")) return;
        const missing = names.flatMap((name) => {
          const wanted = [
            "success",
            ...getOwnErrorCodes(getRoute(name)).filter((code) => !UNREACHABLE_CODES.includes(code)),
          ];
          return wanted.filter((code) => !seenCodes.get(name)?.has(code)).map((code) => `${name}: ${code}`);
        });
        expect(missing.filter((entry) => !shownElsewhere.includes(entry))).to.deep.equal([]);
      });
    },
  };
}
