import { expect } from "chai";
import { ArcadeApiError, isApiError } from "../../client/errors.ts";
import { sleep } from "../../client/retry.ts";
import { useEach } from "../helpers/fixture.ts";
import {
  createProblem,
  createServiceClient,
  createSignInScript,
  fakeWallet,
  startFakeService,
} from "./fake-service.ts";

const SCOREBANK = "POST /api/rewards/scorebank";
const NONCE = "POST /api/games/shellrunners/auth/nonce";
const slug = "shellrunners";
const walletAddress = fakeWallet.address;

async function getError(operation: Promise<unknown>): Promise<ArcadeApiError> {
  const error = await operation.then(
    () => null,
    (error: unknown) => error,
  );
  expect(error).to.be.instanceOf(ArcadeApiError);
  return error as ArcadeApiError;
}

describe("client: waits", () => {
  it("a wait longer than the longest timer does not end at once", async () => {
    const stop = new AbortController();
    const slept = sleep(2 ** 40, stop.signal).then(
      () => "woke",
      () => "stopped",
    );
    await sleep(5);
    stop.abort();
    expect(await slept).to.equal("stopped");
  });
});

describe("client: retry policy", () => {
  const service = useEach(startFakeService);

  it("the client repeats a retryable failure until it succeeds", async () => {
    service.script[NONCE] = (_, times) =>
      times < 4 ? createProblem(503, "STORAGE_BUSY", { retryable: true }) : { body: { message: "hello" } };
    const { client, delaysMs } = createServiceClient(service);
    expect((await client.auth.nonce({ slug, walletAddress })).message).to.equal("hello");
    expect(delaysMs).to.have.lengthOf(3);
  });

  it("the client waits a random part of 0.5 s x 2^n, and gives up after five repeats", async () => {
    service.script[NONCE] = () => createProblem(503, "STORAGE_BUSY", { retryable: true });
    const { client, delaysMs } = createServiceClient(service, { retry: { random: () => 0.5 } });
    const error = await getError(client.auth.nonce({ slug, walletAddress }));
    expect(error.code).to.equal("STORAGE_BUSY");
    expect(delaysMs).to.deep.equal([250, 500, 1000, 2000, 4000]);
    expect(service.countRequests(NONCE)).to.equal(6);
  });

  it("the client waits at least for Retry-After", async () => {
    service.script[NONCE] = (_, times) =>
      times === 1
        ? createProblem(429, "RATE_LIMITED", { retryable: true }, { "retry-after": "7" })
        : { body: { message: "m" } };
    const { client, delaysMs } = createServiceClient(service);
    await client.auth.nonce({ slug, walletAddress });
    expect(delaysMs).to.have.lengthOf(1);
    expect(delaysMs[0]).to.be.within(7000, 7500);
  });

  it("the client throws immediately for a very long Retry-After", async () => {
    service.script[NONCE] = () => createProblem(429, "RATE_LIMITED", { retryable: true }, { "retry-after": "1200" });
    const { client, delaysMs } = createServiceClient(service);
    const error = await getError(client.auth.nonce({ slug, walletAddress }));
    expect(error).to.include({ code: "RATE_LIMITED", status: 429, retryAfterSeconds: 1200 });
    expect(delaysMs).to.deep.equal([]);
  });

  it("the client never repeats calls that are not retryable", async () => {
    service.script[NONCE] = () =>
      createProblem(400, "VALIDATION_FAILED", { retryable: false, issues: [{ path: "walletAddress" }] });
    const { client } = createServiceClient(service);
    const error = await getError(client.auth.nonce({ slug, walletAddress }));
    expect(error).to.include({ code: "VALIDATION_FAILED", status: 400, retryable: false, requestId: "request-1" });
    expect(error.fields).to.deep.equal({ issues: [{ path: "walletAddress" }] });
    expect(service.countRequests(NONCE)).to.equal(1);
  });

  it("the client repeats INTERNAL once", async () => {
    service.script[NONCE] = () => createProblem(500, "INTERNAL", { retryable: true });
    await getError(createServiceClient(service).client.auth.nonce({ slug, walletAddress }));
    expect(service.countRequests(NONCE)).to.equal(2);
  });

  it("the client repeats an idempotent call whose response was lost under the same Idempotency-Key", async () => {
    const start = "POST /api/games/shellrunners/sessions/start";
    service.script[start] = (_, times) => (times === 1 ? { cut: true } : { body: { sessionId: "s" } });
    const { client } = createServiceClient(service);
    await client.sessions.start({ slug, source: "browser_ws" });
    await client.sessions.start({ slug, source: "browser_ws" });
    const keys = service.requests.map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).to.have.lengthOf(3);
    expect(keys[0]).to.match(/^[\x21-\x7e]{1,64}$/);
    expect(keys[1]).to.equal(keys[0]);
    expect(keys[2]).to.not.equal(keys[0]);
  });

  it("the client does not repeat a call without a key that may have been performed", async () => {
    const verify = "POST /api/games/shellrunners/auth/verify";
    service.script[verify] = () => ({ cut: true });
    const error = await getError(
      createServiceClient(service).client.auth.verify({ slug, message: "m", signature: "0x00" }),
    );
    expect(error).to.include({ code: "NETWORK_FAULT", status: 0, retryable: true });
    expect(service.countRequests(verify)).to.equal(1);
  });

  it("the client reports a response that is not the service's", async () => {
    service.script[NONCE] = () => ({ status: 200, body: "<html>hello</html>" });
    const error = await getError(createServiceClient(service).client.auth.nonce({ slug, walletAddress }));
    expect(error).to.include({ code: "BAD_ANSWER", status: 200, retryable: false });
  });

  it("the client stops immediately when the caller's signal is aborted", async () => {
    const stop = new AbortController();
    service.script[NONCE] = () => {
      stop.abort(new Error("enough"));
      return createProblem(503, "STORAGE_BUSY", { retryable: true });
    };
    const thrown = await createServiceClient(service)
      .client.auth.nonce({ slug, walletAddress }, { signal: stop.signal })
      .catch((error: unknown) => error);
    expect(isApiError(thrown, "STORAGE_BUSY") || (thrown as Error).message === "enough").to.equal(true);
    expect(service.countRequests(NONCE)).to.equal(1);
  });

  it("the client puts a flat input into path, body and query", async () => {
    Object.assign(service.script, createSignInScript(), {
      [SCOREBANK]: () => ({ body: { score: 1 } }),
      "GET /api/games/shellrunners/sessions/my": () => ({ body: { items: [] } }),
    });
    const { client } = createServiceClient(service, { wallet: fakeWallet });
    await client.sessions.my({ slug, page: 2, status: "ended" });
    await client.rewards.scorebank({ gameSlug: slug });
    expect(service.requests.at(-2)).to.include({ path: "/api/games/shellrunners/sessions/my", token: "aa_signed1" });
    expect(service.requests.at(-1)!.body).to.deep.equal({ gameSlug: slug });
  });

  it("the client rejects an input without a field of the path", async () => {
    const { client } = createServiceClient(service);
    const thrown = await client.games.get({ slug: "" }).catch((error: unknown) => error);
    expect(thrown).to.be.instanceOf(TypeError);
    expect(service.requests).to.deep.equal([]);
  });
});
