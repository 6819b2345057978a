import { expect } from "chai";
import type { PrivateKeyAccount } from "viem/accounts";
import { Authenticator } from "../../backend/http/pipeline/access.ts";
import { routes } from "../../backend/http/routes/index.ts";
import type { Route } from "../../backend/http/routing/route.ts";
import { createLimiter } from "../../backend/rate-limits/limiter.ts";
import { RequestLimits } from "../../backend/rate-limits/request-limits.ts";
import { ArcadeError } from "../../domain/errors.ts";
import { ADDRESS_LIMITS, LIMITS, type LimitPolicy } from "../../domain/limits/limits.ts";
import { expectProblem } from "../helpers/problem.ts";
import { StillClock } from "../helpers/still-clock.ts";
import { type ApiResponse, startTestStack, type TestStack } from "../helpers/suite.ts";
import { TestClock } from "../helpers/test-clock.ts";
import { createTestAccount } from "./support/sign-in.ts";

const START_PATH = "/api/games/shellrunners/sessions/start";
const SCOREBANK_PATH = "/api/rewards/scorebank";

describe("rate limits", () => {
  let stack: TestStack;
  before(async () => {
    const env = { ARCADE_RATE_LIMITS: "on", ARCADE_TRUST_PROXY: "true" };
    stack = await startTestStack({ env, clock: new StillClock() });
  });
  after(() => stack.close());

  const post = (ip: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
    stack.request("POST", path, { body, headers: { "X-Forwarded-For": ip, ...headers } });
  const getNonce = (ip: string, account: PrivateKeyAccount) =>
    post(ip, "/api/games/shellrunners/auth/nonce", { walletAddress: account.address });

  async function signIn(ip: string, account: PrivateKeyAccount): Promise<{ readonly Authorization: string }> {
    const { message } = (await getNonce(ip, account)).body;
    const signature = await account.signMessage({ message });
    const verified = await post(ip, "/api/games/shellrunners/auth/verify", { message, signature });
    return { Authorization: `Bearer ${verified.body.accessToken}` };
  }

  async function repeat(count: number, request: () => Promise<ApiResponse>): Promise<ApiResponse[]> {
    const responses: ApiResponse[] = [];
    for (let i = 0; i < count; i += 1) responses.push(await request());
    return responses;
  }

  it("invalid tokens of one address are limited, and valid ones of it and all of other addresses are accepted", async () => {
    const valid = await signIn("10.1.0.1", createTestAccount(101));
    expect((await post("10.1.0.1", SCOREBANK_PATH, {}, valid)).status).to.equal(200);
    const invalid = { Authorization: "Bearer aa_unknown" };
    const { limit } = ADDRESS_LIMITS.failedTokens;
    const responses = await repeat(limit + 1, () => post("10.1.0.1", SCOREBANK_PATH, {}, invalid));
    for (const response of responses.slice(0, limit)) expectProblem(response, "TOKEN_INVALID");
    expectProblem(responses.at(-1)!, "RATE_LIMITED");
    expect(Number(responses.at(-1)!.headers.get("retry-after"))).to.equal(3);
    expect((await post("10.1.0.1", SCOREBANK_PATH, {}, valid)).status).to.equal(200);
    expectProblem(await post("10.1.0.1", SCOREBANK_PATH, {}, invalid), "RATE_LIMITED");
    expectProblem(await post("10.1.0.2", SCOREBANK_PATH, {}, invalid), "TOKEN_INVALID");
  });

  it("nonces requested for a wallet from one address do not lock it out at another", async () => {
    const account = createTestAccount(102);
    const responses = await repeat(12, () => getNonce("10.2.0.1", account));
    expectProblem(responses.at(-1)!, "RATE_LIMITED");
    expect(responses.at(-1)!.body.error).to.include("sign-in-wallet");
    expect((await getNonce("10.2.0.2", account)).status).to.equal(200);
  });

  it("starts of agent sessions are limited by wallet, and not by address", async () => {
    const [first, second] = [
      await signIn("10.3.0.1", createTestAccount(103)),
      await signIn("10.3.0.1", createTestAccount(104)),
    ];
    const start = (headers: Record<string, string>) => post("10.3.0.1", START_PATH, { source: "agent_api" }, headers);
    const responses = await repeat(11, () => start(first));
    expectProblem(responses[9]!, "IDENTITY_REQUIRED");
    expectProblem(responses[10]!, "RATE_LIMITED");
    for (const response of await repeat(10, () => start(second))) expectProblem(response, "IDENTITY_REQUIRED");
  });

  it("starts of practice sessions are limited by address, with and without a token", async () => {
    const wallet = await signIn("10.4.0.1", createTestAccount(105));
    const start = (headers?: Record<string, string>) => post("10.4.0.1", START_PATH, { source: "browser_ws" }, headers);
    await repeat(5, () => start(wallet));
    await repeat(5, () => start());
    for (const headers of [wallet, undefined]) {
      const response = await start(headers);
      expectProblem(response, "RATE_LIMITED");
      expect(response.body.error).to.include("practice-ip");
    }
  });

  it("a repeated subscription with the same Idempotency-Key gets the first response", async () => {
    const subscribe = (email: string) =>
      post("10.5.0.1", "/api/newsletter/subscribe", { email }, { "Idempotency-Key": "letter-1" });
    expect((await subscribe("a@example.org")).body.subscribed).to.equal(true);
    expect((await subscribe("a@example.org")).body.subscribed).to.equal(true);
    expectProblem(await subscribe("b@example.org"), "IDEMPOTENCY_CONFLICT");
  });

  it("the scheme of the Authorization header may have any case", async () => {
    const { Authorization } = await signIn("10.6.0.1", createTestAccount(106));
    for (const scheme of ["bearer", "BEARER"]) {
      const headers = { Authorization: Authorization.replace("Bearer", scheme) };
      expect((await post("10.6.0.1", SCOREBANK_PATH, {}, headers)).status).to.equal(200);
    }
  });

  it("a number in a query is accepted as decimal digits only", async () => {
    const path = "/api/games/shellrunners/sessions/live";
    for (const query of ["limit=1e1", "page=1e0", "limit=0x10", "limit=%207", "limit=7.0", "page=%2B1"])
      expectProblem(await stack.request("GET", `${path}?${query}`), "VALIDATION_FAILED");
    expect((await stack.request("GET", `${path}?limit=7&page=1`)).body).to.include({ limit: 7, page: 1 });
  });
});

describe("the authenticator", () => {
  const route = { access: "wallet" } as Route;
  const toRequest = (token: string) => ({ get: () => `Bearer ${token}` }) as never;

  /** Knows one valid token. `lookUps`: every token that was looked up. */
  function createAuthenticator() {
    const lookUps: string[] = [];
    const auth = {
      authenticate: async (token: string) => {
        lookUps.push(token);
        if (token === "busy") throw new ArcadeError("STORAGE_BUSY", "The database is busy.");
        if (token !== "valid") throw new ArcadeError("TOKEN_INVALID", "Expected a valid token.");
        return { kind: "wallet", wallet: "0x1", slug: "s", accessExpiresAtMs: 1 } as never;
      },
    };
    const services = { auth, operator: { adminToken: null } };
    const authenticator = new Authenticator(services, createLimiter(new TestClock(), true));
    const getCode = (token: string) =>
      authenticator.authenticate(route, toRequest(token), "10.0.0.1").then(
        () => "ok",
        (error: ArcadeError) => error.code,
      );
    return { lookUps, getCode };
  }

  it("the bucket is charged before the look-up, so that an exhausted address causes none", async () => {
    const { lookUps, getCode } = createAuthenticator();
    for (let i = 0; i < 500; i += 1) await getCode(`unknown-${i}`);
    expect(lookUps).to.have.length(ADDRESS_LIMITS.failedTokens.limit);
    expect(await getCode("valid")).to.equal("RATE_LIMITED");
  });

  it("valid tokens and failures of the store take nothing from the bucket", async () => {
    const { getCode } = createAuthenticator();
    for (let i = 0; i < 50; i += 1)
      expect([await getCode("valid"), await getCode("busy")]).to.deep.equal(["ok", "STORAGE_BUSY"]);
    expect(await getCode("unknown")).to.equal("TOKEN_INVALID");
  });
});

describe("the limit on signatures", () => {
  const take = async (
    limiter: ReturnType<typeof createLimiter>,
    policies: readonly LimitPolicy[],
    ip: string,
  ): Promise<ArcadeError | null> => {
    const limits = new RequestLimits(limiter, { limits: policies }, { ip, caller: null, headers: [] });
    try {
      await limits.takeBeforeBody();
      await limits.takeAfterBody({ walletAddress: `0x${ip}` });
      await limits.takeOfAll();
      return null;
    } catch (error) {
      return error as ArcadeError;
    }
  };

  for (const [what, policies, max] of [
    ["snapshots", LIMITS.snapshot, 50],
    ["registrations", LIMITS.register, 20],
  ] as const)
    it(`all ${what} together get at most ${max} a second`, async () => {
      const clock = new TestClock();
      const limiter = createLimiter(clock, true);
      const errors: (ArcadeError | null)[] = [];
      for (let number = 0; number <= max; number += 1) errors.push(await take(limiter, policies, `10.0.${number}.1`));
      expect(errors.slice(0, max)).to.deep.equal(Array(max).fill(null));
      expect(errors[max]).to.include({ code: "RATE_LIMITED" });
      expect(errors[max]!.fields.retryAfterSeconds).to.equal(1);
      // The others' limits are not used up.
      expect(
        await take(limiter, policies === LIMITS.register ? LIMITS.snapshot : LIMITS.register, "10.1.0.1"),
      ).to.equal(null);
      clock.advance(1000);
      expect(await take(limiter, policies, "10.1.1.1")).to.equal(null);
    });

  it("a network gets at most 120 registrations a minute: an IPv6 /48, over all its /64", async () => {
    const limiter = createLimiter(new TestClock(), true);
    const [perNetwork] = LIMITS.register.filter(({ by }) => by === "network");
    const policies = [perNetwork!];
    for (let number = 0; number < 120; number += 1)
      expect(await take(limiter, policies, `2001:db8:0:${number}`)).to.equal(null);
    expect(await take(limiter, policies, "2001:db8:0:ffff")).to.include({ code: "RATE_LIMITED" });
    expect(await take(limiter, policies, "2001:db8:1:1")).to.equal(null);
  });

  it("every route that signs is under one, and only the one that is open to all under that of registrations", () => {
    const listRoutes = (bucket: string) =>
      routes.filter(({ limits }) => limits.some(({ name }) => name === bucket)).map(({ name }) => name);
    expect(listRoutes("signatures")).to.have.members(["rewards.snapshot", "nft.prepare"]);
    expect(listRoutes("register-signatures")).to.deep.equal(["identity.register"]);
    for (const { name, limits, identity } of routes)
      if (limits.some((policy) => policy.name === "signatures")) expect(identity, name).to.equal("required");
  });
});
