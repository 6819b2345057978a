import { expect } from "chai";
import { isApiError } from "../../client/errors.ts";
import {
  createCredentials,
  createProblem,
  createServiceClient,
  createSignInScript,
  type FakeService,
  fakeWallet,
  startFakeService,
} from "./fake-service.ts";

const REFRESH = "POST /api/games/shellrunners/auth/refresh";
const VERIFY = "POST /api/games/shellrunners/auth/verify";
const NONCE = "POST /api/games/shellrunners/auth/nonce";
const SCOREBANK = "POST /api/rewards/scorebank";
const SIGN_OUT = "POST /api/games/shellrunners/auth/sign-out";

/** A route's script that responds only when released, and a wait for its first request. */
function holdRoute(service: FakeService, route: string) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const respond = service.script[route]!;
  service.script[route] = async (request, times) => {
    await released;
    return respond(request, times);
  };
  const waitForRequest = async (): Promise<void> => {
    while (service.countRequests(route) === 0) await new Promise(setImmediate);
  };
  return { release, waitForRequest };
}

describe("client: sign-in", () => {
  let service: FakeService;
  let accepted: Set<string>;
  beforeEach(async () => {
    accepted = new Set(["aa_signed1"]);
    service = await startFakeService({
      ...createSignInScript(),
      [SCOREBANK]: ({ token }) =>
        accepted.has(token ?? "") ? { body: { score: 1 } } : createProblem(401, "TOKEN_EXPIRED", { retryable: false }),
      [REFRESH]: (_, times) => {
        const next = createCredentials(`refreshed${times}`, 3_600_000);
        accepted.add(next.accessToken);
        return { body: next };
      },
    });
  });
  afterEach(() => service.close());
  const open = (nowMs?: () => number) =>
    createServiceClient(service, { wallet: fakeWallet, ...(nowMs === undefined ? {} : { nowMs }) }).client;

  /** Signs out while a call of a client with an expired token waits for the answer of a route. */
  const signOutDuring = async (route: string) => {
    const { release, waitForRequest } = holdRoute(service, route);
    const client = open();
    client.signIn.restore(createCredentials("old", 3_600_000));
    const call = client.rewards.scorebank({}).catch((error: unknown) => error);
    await waitForRequest();
    await client.signIn.signOut();
    release();
    return { client, error: await call };
  };

  const listSignOuts = () => service.requests.filter(({ path }) => path.endsWith("/sign-out"));

  it("the client signs in on its own, once for many calls at the same time", async () => {
    const client = open();
    await Promise.all(Array.from({ length: 20 }, () => client.rewards.scorebank({})));
    expect(service.countRequests(NONCE)).to.equal(1);
    expect(service.countRequests(VERIFY)).to.equal(1);
    expect(service.countRequests(SCOREBANK)).to.equal(20);
  });

  it("the client signs in with an address in lower case, as browser wallets return it", async () => {
    const wallet = { ...fakeWallet, address: fakeWallet.address.toLowerCase() as typeof fakeWallet.address };
    const { client } = createServiceClient(service, { wallet });
    expect(await client.rewards.scorebank({})).to.include({ score: 1 });
  });

  it("a client whose clock is ahead uses a new token until the service reports that it has expired", async () => {
    const client = open(() => Date.now() + 30 * 24 * 3_600_000);
    for (let call = 0; call < 3; call += 1) await client.rewards.scorebank({});
    expect(service.countRequests(VERIFY)).to.equal(1);
    expect(service.countRequests(REFRESH)).to.equal(0);
    accepted.delete("aa_signed1");
    for (let call = 0; call < 3; call += 1) await client.rewards.scorebank({});
    expect(service.countRequests(REFRESH)).to.equal(1);
  });

  it("the client refreshes an expired token once for many calls at the same time", async () => {
    const client = open();
    client.signIn.restore(createCredentials("old", 3_600_000));
    await Promise.all(Array.from({ length: 20 }, () => client.rewards.scorebank({})));
    expect(service.countRequests(REFRESH)).to.equal(1);
    expect(service.countRequests(VERIFY)).to.equal(0);
    expect(service.countRequests(SCOREBANK)).to.equal(40);
    expect(client.signIn.credentials()!.accessToken).to.equal("aa_refreshed1");
  });

  for (const [title, route, token] of [
    ["refreshed", REFRESH, "aa_refreshed1"],
    ["signed in again", VERIFY, "aa_signed1"],
  ] as const)
    it(`a client that signs out while it is ${title} stays signed out, and revokes the tokens it gets`, async () => {
      service.script[SIGN_OUT] = () => ({ body: {} });
      if (route === VERIFY) service.script[REFRESH] = () => createProblem(401, "TOKEN_INVALID", { retryable: false });
      const { client, error } = await signOutDuring(route);
      expect(isApiError(error, "AUTH_REQUIRED")).to.equal(true);
      expect(client.signIn.credentials()).to.equal(null);
      while (!listSignOuts().some((request) => request.token === token)) await new Promise(setImmediate);
    });

  for (const all of [false, true])
    it(`a client whose access token has expired signs out during its refresh, which uses the refresh token once, ${all ? "everywhere" : "here"}`, async () => {
      const useRefreshToken = service.script[REFRESH]!;
      service.script[REFRESH] = (request, times) =>
        times === 1 ? useRefreshToken(request, times) : createProblem(401, "REFRESH_REUSED", { retryable: false });
      service.script[SIGN_OUT] = ({ token }) =>
        accepted.has(token ?? "") ? { body: {} } : createProblem(401, "TOKEN_EXPIRED", { retryable: false });
      const { release, waitForRequest } = holdRoute(service, REFRESH);
      const client = open();
      client.signIn.restore(createCredentials("old", 3_600_000));
      const call = client.rewards.scorebank({}).catch((error: unknown) => error);
      await waitForRequest();
      const signedOut = client.signIn.signOut({ all });
      while (service.countRequests(SIGN_OUT) === 0) await new Promise(setImmediate);
      release();
      await signedOut;
      expect(isApiError(await call, "AUTH_REQUIRED")).to.equal(true);
      expect(client.signIn.credentials()).to.equal(null);
      expect(service.countRequests(REFRESH)).to.equal(1);
      expect(listSignOuts().map(({ token, body }) => ({ token, all: body.all }))).to.deep.equal([
        { token: "aa_old", all },
        { token: "aa_refreshed1", all },
      ]);
    });

  it("signs out here when the sign-in has already ended, but throws if it was to sign out everywhere", async () => {
    service.script[SIGN_OUT] = () => createProblem(401, "TOKEN_EXPIRED", { retryable: false });
    service.script[REFRESH] = () => createProblem(401, "REFRESH_REUSED", { retryable: false });
    const client = open();
    client.signIn.restore(createCredentials("old", 3_600_000));
    await client.signIn.signOut();
    client.signIn.restore(createCredentials("old", 3_600_000));
    const error = await client.signIn.signOut({ all: true }).catch((error: unknown) => error);
    expect(isApiError(error, "REFRESH_REUSED")).to.equal(true);
    expect(client.signIn.credentials()).to.equal(null);
  });

  it("signing out everywhere throws when there is no sign-in, even after a failed attempt", async () => {
    service.script[SIGN_OUT] = () => createProblem(503, "STORAGE_BUSY", { retryable: false });
    const client = open();
    client.signIn.restore(createCredentials("signed1", 3_600_000));
    const signOut = () => client.signIn.signOut({ all: true }).catch((error: unknown) => error);
    expect(isApiError(await signOut(), "STORAGE_BUSY")).to.equal(true);
    expect(isApiError(await signOut(), "AUTH_REQUIRED")).to.equal(true);
    await client.signIn.signOut();
    expect(service.countRequests(SIGN_OUT)).to.equal(1);
  });

  it("signing out everywhere during the first sign-in waits until it has ended all of them", async () => {
    service.script[SIGN_OUT] = () => createProblem(503, "STORAGE_BUSY", { retryable: false });
    const { release, waitForRequest } = holdRoute(service, VERIFY);
    const client = open();
    const signedIn = client.signIn.signIn().catch((error: unknown) => error);
    await waitForRequest();
    const signedOut = client.signIn.signOut({ all: true }).catch((error: unknown) => error);
    release();
    expect(isApiError(await signedOut, "STORAGE_BUSY")).to.equal(true);
    expect(isApiError(await signedIn, "AUTH_REQUIRED")).to.equal(true);
    expect(listSignOuts().map(({ token, body }) => ({ token, all: body.all }))).to.deep.equal([
      { token: "aa_signed1", all: true },
    ]);
  });

  it("a client that signs out during a refresh does not ask its wallet to sign when the refresh fails", async () => {
    service.script[SIGN_OUT] = () => ({ body: {} });
    service.script[REFRESH] = () => createProblem(401, "TOKEN_INVALID", { retryable: false });
    const { client, error } = await signOutDuring(REFRESH);
    expect(isApiError(error, "TOKEN_INVALID")).to.equal(true);
    expect(service.countRequests(NONCE)).to.equal(0);
    expect(client.signIn.credentials()).to.equal(null);
  });

  it("the client uses the new token when a call is rejected after another has refreshed", async () => {
    let release: (() => void) | undefined;
    const refreshed = new Promise<void>((resolve) => {
      release = resolve;
    });
    const respond = service.script[SCOREBANK]!;
    service.script[SCOREBANK] = async (requests, times) => {
      if (times === 1) await refreshed;
      return respond(requests, times);
    };
    const client = open();
    client.signIn.restore(createCredentials("old", 3_600_000));
    const late = client.rewards.scorebank({});
    while (service.countRequests(SCOREBANK) === 0) await new Promise(setImmediate);
    await client.rewards.scorebank({});
    release!();
    await late;
    expect(service.countRequests(REFRESH)).to.equal(1);
  });

  it("the client refreshes only once for one call: a second expiry is thrown", async () => {
    service.script[SCOREBANK] = () => createProblem(401, "TOKEN_EXPIRED", { retryable: false });
    const client = open();
    client.signIn.restore(createCredentials("old", 3_600_000));
    const error = await client.rewards.scorebank({}).catch((error: unknown) => error);
    expect(isApiError(error, "TOKEN_EXPIRED")).to.equal(true);
    expect(service.countRequests(REFRESH)).to.equal(1);
  });

  it("the client refreshes before the token expires", async () => {
    let nowMs = Date.now();
    const client = open(() => nowMs);
    client.signIn.restore(createCredentials("signed1", 3_600_000, nowMs));
    nowMs += 3_600_000 - 61_000;
    await client.rewards.scorebank({});
    expect(service.countRequests(REFRESH)).to.equal(0);
    nowMs += 2_000;
    await client.rewards.scorebank({});
    expect(service.countRequests(REFRESH)).to.equal(1);
    expect(service.requests.at(-1)!.token).to.equal("aa_refreshed1");
  });

  it("the client keeps a valid token when an early refresh fails", async () => {
    let nowMs = Date.now();
    service.script[REFRESH] = () => createProblem(503, "STORAGE_BUSY", { retryable: true });
    const client = open(() => nowMs);
    client.signIn.restore(createCredentials("signed1", 3_600_000, nowMs));
    nowMs += 3_600_000 - 30_000;
    expect((await client.rewards.scorebank({})).score).to.equal(1);
  });

  for (const code of ["REFRESH_REUSED", "TOKEN_EXPIRED", "TOKEN_INVALID"]) {
    it(`the client signs in again when the refresh fails with ${code}`, async () => {
      service.script[REFRESH] = () => createProblem(401, code, { retryable: false });
      const client = open();
      client.signIn.restore(createCredentials("old", 3_600_000));
      expect((await client.rewards.scorebank({})).score).to.equal(1);
      expect(service.countRequests(REFRESH)).to.equal(1);
      expect(service.countRequests(VERIFY)).to.equal(1);
    });
  }

  it("the client signs in again when the access token was revoked", async () => {
    service.script[SCOREBANK] = ({ token }) =>
      token === "aa_signed1" ? { body: { score: 1 } } : createProblem(401, "TOKEN_INVALID", { retryable: false });
    const client = open();
    client.signIn.restore(createCredentials("revoked", 3_600_000));
    expect((await client.rewards.scorebank({})).score).to.equal(1);
    expect(service.countRequests(REFRESH)).to.equal(0);
  });

  for (const code of ["NONCE_USED", "NONCE_EXPIRED", "NONCE_INVALID"]) {
    it(`the client requests a new nonce on ${code}`, async () => {
      const verify = service.script[VERIFY]!;
      service.script[VERIFY] = (requests, times) =>
        times === 1 ? createProblem(401, code, { retryable: false }) : verify(requests, 1);
      await open().rewards.scorebank({});
      expect(service.countRequests(NONCE)).to.equal(2);
    });
  }

  it("the client throws the error of a rejected signature", async () => {
    service.script[VERIFY] = () => createProblem(401, "SIGNATURE_INVALID", { retryable: false });
    const error = await open()
      .signIn.signIn()
      .catch((error: unknown) => error);
    expect(isApiError(error, "SIGNATURE_INVALID")).to.equal(true);
    expect(service.countRequests(NONCE)).to.equal(1);
  });

  it("the client sends no token without a wallet, and reports when credentials have ended", async () => {
    const { client } = createServiceClient(service);
    const first = await client.rewards.scorebank({}).catch((error: unknown) => error);
    expect(isApiError(first, "TOKEN_EXPIRED")).to.equal(true);
    expect(service.requests.at(-1)!.token).to.equal(null);
    service.script[REFRESH] = () => createProblem(401, "REFRESH_REUSED", { retryable: false });
    client.signIn.restore(createCredentials("old", 3_600_000));
    const second = await client.rewards.scorebank({}).catch((error: unknown) => error);
    expect(isApiError(second, "AUTH_REQUIRED")).to.equal(true);
  });

  it("the client sends the given practice token", async () => {
    service.script["POST /api/games/shellrunners/sessions/s/heartbeat"] = () => ({ body: { phase: "running" } });
    await open().sessions.heartbeat({ slug: "shellrunners", sessionId: "s" }, { token: "ax_mine" });
    expect(service.requests).to.have.lengthOf(1);
    expect(service.requests[0]!.token).to.equal("ax_mine");
  });
});
