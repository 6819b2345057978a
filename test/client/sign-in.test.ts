import { expect } from "chai";
import { isApiError } from "../../client/errors.ts";
import {
  clientOf,
  credentials,
  type FakeService,
  fakeWallet,
  problem,
  signInScript,
  startFakeService,
} from "./fake-service.ts";

const REFRESH = "POST /api/games/shellrunners/auth/refresh";
const VERIFY = "POST /api/games/shellrunners/auth/verify";
const NONCE = "POST /api/games/shellrunners/auth/nonce";
const SCOREBANK = "POST /api/rewards/scorebank";

describe("client: sign-in", () => {
  let service: FakeService;
  let accepted: Set<string>;
  beforeEach(async () => {
    accepted = new Set(["aa_signed1"]);
    service = await startFakeService({
      ...signInScript(),
      [SCOREBANK]: ({ token }) =>
        accepted.has(token ?? "") ? { body: { score: 1 } } : problem(401, "TOKEN_EXPIRED", { retryable: false }),
      [REFRESH]: (_, times) => {
        const next = credentials(`refreshed${times}`, 3_600_000);
        accepted.add(next.accessToken);
        return { body: next };
      },
    });
  });
  afterEach(() => service.close());
  const open = (nowMs?: () => number) =>
    clientOf(service, { wallet: fakeWallet, ...(nowMs === undefined ? {} : { nowMs }) }).client;

  it("signs in by itself, once for many calls at the same time", async () => {
    const client = open();
    await Promise.all(Array.from({ length: 20 }, () => client.rewards.scorebank({})));
    expect(service.timesOf(NONCE)).to.equal(1);
    expect(service.timesOf(VERIFY)).to.equal(1);
    expect(service.timesOf(SCOREBANK)).to.equal(20);
  });

  it("refreshes an expired token once for many calls at the same time", async () => {
    const client = open();
    client.signIn.restore(credentials("old", 3_600_000));
    await Promise.all(Array.from({ length: 20 }, () => client.rewards.scorebank({})));
    expect(service.timesOf(REFRESH)).to.equal(1);
    expect(service.timesOf(VERIFY)).to.equal(0);
    expect(service.timesOf(SCOREBANK)).to.equal(40);
    expect(client.signIn.credentials()!.accessToken).to.equal("aa_refreshed1");
  });

  it("takes the new token when a call is refused after another has refreshed", async () => {
    let release: (() => void) | undefined;
    const refreshed = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answer = service.script[SCOREBANK]!;
    service.script[SCOREBANK] = async (heard, times) => {
      if (times === 1) await refreshed;
      return answer(heard, times);
    };
    const client = open();
    client.signIn.restore(credentials("old", 3_600_000));
    const late = client.rewards.scorebank({});
    while (service.timesOf(SCOREBANK) === 0) await new Promise(setImmediate);
    await client.rewards.scorebank({});
    release!();
    await late;
    expect(service.timesOf(REFRESH)).to.equal(1);
  });

  it("refreshes only once for one call: a second expiry is the caller's", async () => {
    service.script[SCOREBANK] = () => problem(401, "TOKEN_EXPIRED", { retryable: false });
    const client = open();
    client.signIn.restore(credentials("old", 3_600_000));
    const error = await client.rewards.scorebank({}).catch((thrown: unknown) => thrown);
    expect(isApiError(error, "TOKEN_EXPIRED")).to.equal(true);
    expect(service.timesOf(REFRESH)).to.equal(1);
  });

  it("refreshes ahead of the end", async () => {
    let nowMs = Date.now();
    const client = open(() => nowMs);
    client.signIn.restore(credentials("signed1", 3_600_000, nowMs));
    nowMs += 3_600_000 - 61_000;
    await client.rewards.scorebank({});
    expect(service.timesOf(REFRESH)).to.equal(0);
    nowMs += 2_000;
    await client.rewards.scorebank({});
    expect(service.timesOf(REFRESH)).to.equal(1);
    expect(service.heard.at(-1)!.token).to.equal("aa_refreshed1");
  });

  it("goes on with a good token when refreshing ahead fails for now", async () => {
    let nowMs = Date.now();
    service.script[REFRESH] = () => problem(503, "STORAGE_BUSY", { retryable: true });
    const client = open(() => nowMs);
    client.signIn.restore(credentials("signed1", 3_600_000, nowMs));
    nowMs += 3_600_000 - 30_000;
    expect((await client.rewards.scorebank({})).score).to.equal(1);
  });

  for (const code of ["REFRESH_REUSED", "TOKEN_EXPIRED", "TOKEN_INVALID"]) {
    it(`signs in again when the refresh answers ${code}`, async () => {
      service.script[REFRESH] = () => problem(401, code, { retryable: false });
      const client = open();
      client.signIn.restore(credentials("old", 3_600_000));
      expect((await client.rewards.scorebank({})).score).to.equal(1);
      expect(service.timesOf(REFRESH)).to.equal(1);
      expect(service.timesOf(VERIFY)).to.equal(1);
    });
  }

  it("signs in again when the access token was revoked", async () => {
    service.script[SCOREBANK] = ({ token }) =>
      token === "aa_signed1" ? { body: { score: 1 } } : problem(401, "TOKEN_INVALID", { retryable: false });
    const client = open();
    client.signIn.restore(credentials("revoked", 3_600_000));
    expect((await client.rewards.scorebank({})).score).to.equal(1);
    expect(service.timesOf(REFRESH)).to.equal(0);
  });

  for (const code of ["NONCE_USED", "NONCE_EXPIRED", "NONCE_INVALID"]) {
    it(`asks a new nonce on ${code}`, async () => {
      const verify = service.script[VERIFY]!;
      service.script[VERIFY] = (heard, times) =>
        times === 1 ? problem(401, code, { retryable: false }) : verify(heard, 1);
      await open().rewards.scorebank({});
      expect(service.timesOf(NONCE)).to.equal(2);
    });
  }

  it("gives a refused signature to the caller", async () => {
    service.script[VERIFY] = () => problem(401, "SIGNATURE_INVALID", { retryable: false });
    const error = await open()
      .signIn.signIn()
      .catch((thrown: unknown) => thrown);
    expect(isApiError(error, "SIGNATURE_INVALID")).to.equal(true);
    expect(service.timesOf(NONCE)).to.equal(1);
  });

  it("without a wallet sends no token, and tells when credentials have ended", async () => {
    const { client } = clientOf(service);
    const first = await client.rewards.scorebank({}).catch((thrown: unknown) => thrown);
    expect(isApiError(first, "TOKEN_EXPIRED")).to.equal(true);
    expect(service.heard.at(-1)!.token).to.equal(null);
    service.script[REFRESH] = () => problem(401, "REFRESH_REUSED", { retryable: false });
    client.signIn.restore(credentials("old", 3_600_000));
    const second = await client.rewards.scorebank({}).catch((thrown: unknown) => thrown);
    expect(isApiError(second, "AUTH_REQUIRED")).to.equal(true);
  });

  it("sends a practice token as it is given", async () => {
    service.script["POST /api/games/shellrunners/sessions/s/heartbeat"] = () => ({ body: { phase: "running" } });
    await open().sessions.heartbeat({ slug: "shellrunners", sessionId: "s" }, { token: "ax_mine" });
    expect(service.heard).to.have.lengthOf(1);
    expect(service.heard[0]!.token).to.equal("ax_mine");
  });
});
