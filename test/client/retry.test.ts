import { expect } from "chai";
import { ArcadeApiError, isApiError } from "../../client/errors.ts";
import { clientOf, type FakeService, fakeWallet, problem, signInScript, startFakeService } from "./fake-service.ts";

const SCOREBANK = "POST /api/rewards/scorebank";
const NONCE = "POST /api/games/shellrunners/auth/nonce";
const slug = "shellrunners";
const walletAddress = fakeWallet.address;

async function failureOf(work: Promise<unknown>): Promise<ArcadeApiError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(ArcadeApiError);
  return error as ArcadeApiError;
}

describe("client: retry policy", () => {
  let service: FakeService;
  beforeEach(async () => {
    service = await startFakeService();
  });
  afterEach(() => service.close());

  it("repeats a retryable refusal until it succeeds", async () => {
    service.script[NONCE] = (_, times) =>
      times < 4 ? problem(503, "STORAGE_BUSY", { retryable: true }) : { body: { message: "hello" } };
    const { client, waits } = clientOf(service);
    expect((await client.auth.nonce({ slug, walletAddress })).message).to.equal("hello");
    expect(waits).to.have.lengthOf(3);
  });

  it("waits a random part of 0.5 s x 2^n, and gives up after five repeats", async () => {
    service.script[NONCE] = () => problem(503, "STORAGE_BUSY", { retryable: true });
    const { client, waits } = clientOf(service, { retry: { random: () => 0.5 } });
    const error = await failureOf(client.auth.nonce({ slug, walletAddress }));
    expect(error.code).to.equal("STORAGE_BUSY");
    expect(waits).to.deep.equal([250, 500, 1000, 2000, 4000]);
    expect(service.timesOf(NONCE)).to.equal(6);
  });

  it("waits at least as long as Retry-After says", async () => {
    service.script[NONCE] = (_, times) =>
      times === 1
        ? problem(429, "RATE_LIMITED", { retryable: true }, { "retry-after": "7" })
        : { body: { message: "m" } };
    const { client, waits } = clientOf(service);
    await client.auth.nonce({ slug, walletAddress });
    expect(waits).to.have.lengthOf(1);
    expect(waits[0]).to.be.within(7000, 7500);
  });

  it("leaves a very long Retry-After to the caller", async () => {
    service.script[NONCE] = () => problem(429, "RATE_LIMITED", { retryable: true }, { "retry-after": "1200" });
    const { client, waits } = clientOf(service);
    const error = await failureOf(client.auth.nonce({ slug, walletAddress }));
    expect(error).to.include({ code: "RATE_LIMITED", status: 429, retryAfterSeconds: 1200 });
    expect(waits).to.deep.equal([]);
  });

  it("never repeats what is not retryable", async () => {
    service.script[NONCE] = () =>
      problem(400, "VALIDATION_FAILED", { retryable: false, issues: [{ path: "walletAddress" }] });
    const { client } = clientOf(service);
    const error = await failureOf(client.auth.nonce({ slug, walletAddress }));
    expect(error).to.include({ code: "VALIDATION_FAILED", status: 400, retryable: false, requestId: "request-1" });
    expect(error.fields).to.deep.equal({ issues: [{ path: "walletAddress" }] });
    expect(service.timesOf(NONCE)).to.equal(1);
  });

  it("repeats INTERNAL once", async () => {
    service.script[NONCE] = () => problem(500, "INTERNAL", { retryable: true });
    await failureOf(clientOf(service).client.auth.nonce({ slug, walletAddress }));
    expect(service.timesOf(NONCE)).to.equal(2);
  });

  it("repeats a creating call whose answer was lost under the same Idempotency-Key", async () => {
    const start = "POST /api/games/shellrunners/sessions/start";
    service.script[start] = (_, times) => (times === 1 ? { cut: true } : { body: { sessionId: "s" } });
    const { client } = clientOf(service);
    await client.sessions.start({ slug, source: "browser_ws" });
    await client.sessions.start({ slug, source: "browser_ws" });
    const keys = service.heard.map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).to.have.lengthOf(3);
    expect(keys[0]).to.match(/^[\x21-\x7e]{1,64}$/);
    expect(keys[1]).to.equal(keys[0]);
    expect(keys[2]).to.not.equal(keys[0]);
  });

  it("does not repeat a call that may have been carried out and has no key", async () => {
    const verify = "POST /api/games/shellrunners/auth/verify";
    service.script[verify] = () => ({ cut: true });
    const error = await failureOf(clientOf(service).client.auth.verify({ slug, message: "m", signature: "0x00" }));
    expect(error).to.include({ code: "NETWORK_FAULT", status: 0, retryable: true });
    expect(service.timesOf(verify)).to.equal(1);
  });

  it("tells an answer that is not the service's", async () => {
    service.script[NONCE] = () => ({ status: 200, body: "<html>hello</html>" });
    const error = await failureOf(clientOf(service).client.auth.nonce({ slug, walletAddress }));
    expect(error).to.include({ code: "BAD_ANSWER", status: 200, retryable: false });
  });

  it("stops at once when the caller's signal is aborted", async () => {
    const stop = new AbortController();
    service.script[NONCE] = () => {
      stop.abort(new Error("enough"));
      return problem(503, "STORAGE_BUSY", { retryable: true });
    };
    const thrown = await clientOf(service)
      .client.auth.nonce({ slug, walletAddress }, { signal: stop.signal })
      .catch((error: unknown) => error);
    expect(isApiError(thrown, "STORAGE_BUSY") || (thrown as Error).message === "enough").to.equal(true);
    expect(service.timesOf(NONCE)).to.equal(1);
  });

  it("puts a flat input into path, body and query", async () => {
    Object.assign(service.script, signInScript(), {
      [SCOREBANK]: () => ({ body: { score: 1 } }),
      "GET /api/games/shellrunners/sessions/my": () => ({ body: { items: [] } }),
    });
    const { client } = clientOf(service, { wallet: fakeWallet });
    await client.sessions.my({ slug, page: 2, status: "ended" });
    await client.rewards.scorebank({ gameSlug: slug });
    expect(service.heard.at(-2)).to.include({ path: "/api/games/shellrunners/sessions/my", token: "aa_signed1" });
    expect(service.heard.at(-1)!.body).to.deep.equal({ gameSlug: slug });
  });

  it("refuses an input without a field of the path", async () => {
    const { client } = clientOf(service);
    const thrown = await client.games.get({ slug: "" }).catch((error: unknown) => error);
    expect(thrown).to.be.instanceOf(TypeError);
    expect(service.heard).to.deep.equal([]);
  });
});
