/** Calls routes by name, and checks every response against the route's definition. */
import { expect } from "chai";
import { getErrorCodes, getOwnErrorCodes } from "../../../backend/http/openapi/error-codes.ts";
import { routes } from "../../../backend/http/routes/index.ts";
import type { Route } from "../../../backend/http/routing/route.ts";
import type { ErrorCode } from "../../../domain/errors.ts";
import { expectProblem } from "../../helpers/problem.ts";
import type { ApiResponse, TestStack } from "../../helpers/suite.ts";

export interface RouteCall {
  readonly params?: { readonly [name: string]: string };
  readonly query?: string;
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
}

/** Cannot happen in these tests, since the local signers run in the server's process. */
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
    const { ok, ...rest } = response.body;
    expect(ok, route.name).to.equal(true);
    payload = rest;
  }
  // Parsing drops fields outside the schema at any depth, so the result must be equal.
  expect(route.response.parse(payload), route.name).to.deep.equal(payload);
}

export type RouteTester = ReturnType<typeof createRouteTester>;

export function createRouteTester(stack: () => TestStack) {
  /** The codes seen in responses, as `route: CODE`. */
  const shown = new Set<string>();

  async function call(name: string, options: RouteCall = {}): Promise<ApiResponse> {
    const route = getRoute(name);
    const path = Object.entries(options.params ?? {}).reduce(
      (text, [key, value]) => text.replace(`{${key}}`, value),
      route.path,
    );
    const response = await stack().request(route.method, path + (options.query ?? ""), options);
    if (response.status < 300) {
      shown.add(`${name}: success`);
      checkSuccess(route, response);
    } else {
      shown.add(`${name}: ${response.body.code}`);
      expectProblem(response, response.body.code);
      expect(response.body.code, `${name} answered a code that it does not declare`).to.be.oneOf(getErrorCodes(route));
    }
    return response;
  }

  /** Checks, after all tests of the suite, that it has covered these `route: CODE`, which another file leaves to it. */
  function checkShownAfterAll(entries: readonly string[]): void {
    after("every code of the routes was shown", function () {
      if (!listTests(this.test!.parent!).every(({ state }) => state === "passed")) return;
      expect(entries.filter((entry) => !shown.has(entry))).to.deep.equal([]);
    });
  }

  return {
    call,

    async expectError(name: string, code: ErrorCode, options: RouteCall = {}): Promise<ApiResponse> {
      const response = await call(name, options);
      expect(response.body.code, `${name} ${JSON.stringify(response.body)}`).to.equal(code);
      return response;
    },

    async expectSuccess(name: string, options: RouteCall = {}): Promise<ApiResponse> {
      const response = await call(name, options);
      expect(response.body.code, `${name} ${JSON.stringify(response.body)}`).to.equal(undefined);
      return response;
    },

    /**
     * Checks, after all tests of the suite, that each of these routes has shown its success and each of its codes.
     * Skips runs of single tests (`--grep`) and runs with failures. `shownElsewhere`: `route: CODE` of other files.
     * Call it after the suite's `after`: mocha skips the hooks behind a failing one, and the stack would stay open.
     */
    checkCodesAfterAll(names: readonly string[], shownElsewhere: readonly string[] = []): void {
      const wanted = names.flatMap((name) => {
        const codes = getOwnErrorCodes(getRoute(name)).filter((code) => !UNREACHABLE_CODES.includes(code));
        return ["success", ...codes].map((code) => `${name}: ${code}`);
      });
      checkShownAfterAll(wanted.filter((entry) => !shownElsewhere.includes(entry)));
    },

    checkShownAfterAll,
  };
}
