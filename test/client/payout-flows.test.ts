import { expect } from "chai";
import { isApiError } from "../../client/errors.ts";
import { getPayoutWaitMs, requestPayout } from "../../client/payout-flows.ts";
import { useEach } from "../helpers/fixture.ts";
import {
  createProblem,
  createServiceClient,
  createSignInScript,
  type FakeResponse,
  fakeWallet,
  startFakeService,
  WALLET,
} from "./fake-service.ts";

const READINESS = "POST /api/rewards/readiness";
const PAYOUT = "POST /api/rewards/payout";
const STATUS = "GET /api/rewards/payout/p1";

const token = { address: WALLET, name: "Token", symbol: "TKN", decimals: 18 };
const body = (fields: object) => (): FakeResponse => ({ body: fields });

describe("client: requestPayout", () => {
  const payout = { payoutId: "p1", txHash: null, amount: "9", score: 9 };
  const service = useEach(() => startFakeService(createSignInScript()));
  beforeEach(async () => {
    service.script[READINESS] = body({ ready: true, reasons: [], nextEligibleAt: null, token });
  });
  const open = () => createServiceClient(service, { wallet: fakeWallet });

  it("the flow waits for the block of an accepted payout", async () => {
    service.script[PAYOUT] = () => ({ status: 202, body: { ...payout, status: "pending" } });
    service.script[STATUS] = (_, times) => ({
      body: times < 3 ? { ...payout, status: "sent" } : { ...payout, status: "included", txHash: "0x99" },
    });
    const { client, delaysMs } = open();
    const outcome = await requestPayout({ client });
    if (!outcome.paid) throw new Error("not paid");
    expect(outcome.payout).to.include({ status: "included", txHash: "0x99" });
    expect(delaysMs).to.have.lengthOf(3);
  });

  for (const txHash of [null, "0x99"])
    it(`the flow throws when the payout has failed ${txHash === null ? "without" : "with"} a transaction`, async () => {
      const failed = { ...payout, status: "failed", txHash };
      service.script[PAYOUT] = () => ({ status: 202, body: { ...payout, status: "pending" } });
      service.script[STATUS] = body(failed);
      const error = await requestPayout({ client: open().client }).catch((cause: unknown) => cause);
      expect(error).to.include({ code: "TX_FAILED", status: 409, retryable: false });
      const { fields, message } = error as { readonly fields: object; readonly message: string };
      expect(fields).to.deep.include(failed);
      expect(message.includes("0x99")).to.equal(txHash !== null);
    });

  it("the flow returns the reasons and the next time without requesting a payout", async () => {
    const nextEligibleAt = "2026-01-01T00:00:00.000Z";
    service.script[READINESS] = body({ ready: false, reasons: ["COOLDOWN_ACTIVE"], nextEligibleAt, token });
    const outcome = await requestPayout({ client: open().client });
    const answer = { reasons: ["COOLDOWN_ACTIVE"], nextEligibleAt, eligibleInSeconds: null, token };
    expect(outcome).to.deep.equal({ paid: false, ...answer });
    expect(service.countRequests(PAYOUT)).to.equal(0);
  });

  it("the flow waits for the end of a cooldown and requests again", async () => {
    const waits = (seconds: number) =>
      ["COOLDOWN_ACTIVE", "IDENTITY_TOO_NEW"].map((reason) => ({
        reasons: [reason],
        nextEligibleAt: new Date(Date.now() + seconds * 1000).toISOString(),
      }));
    const [first, second] = waits(10);
    service.script[READINESS] = (_, times) => ({
      body: times < 3 ? { ready: false, ...(times === 1 ? first : second), token } : { ready: true, token },
    });
    service.script[PAYOUT] = body({ ...payout, status: "included" });
    const { client, delaysMs } = open();
    expect((await requestPayout({ client, waitMaxMs: 120_000 })).paid).to.equal(true);
    expect(delaysMs).to.have.lengthOf(2);
    for (const delayMs of delaysMs) expect(delayMs).to.be.within(5_000, 11_000);
  });

  for (const [clock, aheadMs] of [
    ["a day ahead", 86_400_000],
    ["a day behind", -86_400_000],
  ] as const)
    it(`the flow waits by the chain's clock, which is ${clock}`, async () => {
      const nextEligibleAt = new Date(Date.now() + aheadMs).toISOString();
      const notReady = { reasons: ["COOLDOWN_ACTIVE"], nextEligibleAt, token };
      service.script[READINESS] = (_, times) => ({
        body: times === 1 ? { ready: false, ...notReady, eligibleInSeconds: 10 } : { ready: true, token },
      });
      service.script[PAYOUT] = (_, times) =>
        times === 1
          ? createProblem(409, "PAYOUT_NOT_READY", { ...notReady, eligibleInSeconds: 5, retryable: false })
          : { body: { ...payout, status: "included" } };
      const { client, delaysMs } = open();
      expect((await requestPayout({ client, waitMaxMs: 120_000 })).paid).to.equal(true);
      expect(delaysMs).to.deep.equal([11_000, 6_000]);
    });

  it("the flow retries until the block after the end of the cooldown, which may come 12 s later", async () => {
    const nextEligibleAt = new Date(Date.now() - 1_000).toISOString();
    service.script[READINESS] = (_, times) => ({
      body:
        times <= 12 ? { ready: false, reasons: ["COOLDOWN_ACTIVE"], nextEligibleAt, token } : { ready: true, token },
    });
    service.script[PAYOUT] = body({ ...payout, status: "included" });
    const { client, delaysMs } = open();
    expect((await requestPayout({ client, waitMaxMs: 120_000 })).paid).to.equal(true);
    expect(delaysMs).to.deep.equal(Array.from({ length: 12 }, () => 1_000));
  });

  describe("as time passes", () => {
    const { now } = Date;
    let nowMs: number;
    let delaysMs: number[];
    beforeEach(() => {
      [nowMs, delaysMs] = [now(), []];
      Date.now = () => nowMs;
    });
    afterEach(() => {
      Date.now = now;
    });
    const request = (waitMaxMs: number) => {
      const sleep = async (ms: number): Promise<void> => {
        delaysMs.push(ms);
        nowMs += ms;
      };
      const { client } = createServiceClient(service, { wallet: fakeWallet, retry: { sleep } });
      return requestPayout({ client, waitMaxMs });
    };
    const notReady = { ready: false, reasons: ["COOLDOWN_ACTIVE"], nextEligibleAt: null, token };

    it("the flow does not wait for cooldowns one after the other", async () => {
      service.script[READINESS] = () => ({
        body: { ...notReady, nextEligibleAt: new Date(nowMs + 20_000).toISOString() },
      });
      expect((await request(30_000)).paid).to.equal(false);
      expect(delaysMs).to.deep.equal([21_000]);
    });

    it("the flow waits for the block that shows the end of a cooldown, for 20 s at most", async () => {
      const isOver = { ...notReady, eligibleInSeconds: 0 };
      service.script[READINESS] = (_, times) => ({ body: times < 12 ? isOver : { ready: true, token } });
      service.script[PAYOUT] = body({ ...payout, status: "included" });
      expect((await request(0)).paid).to.equal(true);
      expect(delaysMs).to.deep.equal(Array.from({ length: 11 }, () => 1_000));
      service.script[READINESS] = body(isOver);
      delaysMs = [];
      expect((await request(0)).paid).to.equal(false);
      expect(delaysMs).to.deep.equal(Array.from({ length: 19 }, () => 1_000));
    });
  });

  it("the flow waits for a cooldown and a new identity, but not for other reasons or longer times", () => {
    const nowMs = Date.parse("2026-01-01T00:00:00Z");
    const getWait = (reasons: unknown, nextEligibleAt: unknown) =>
      getPayoutWaitMs({ reasons, nextEligibleAt }, 30_000, nowMs);
    const soon = "2026-01-01T00:00:05Z";
    expect(getWait(["COOLDOWN_ACTIVE"], soon)).to.equal(6_000);
    expect(getWait(["IDENTITY_TOO_NEW"], soon)).to.equal(6_000);
    expect(getWait(["COOLDOWN_ACTIVE", "IDENTITY_TOO_NEW"], soon)).to.equal(6_000);
    expect(getWait(["COOLDOWN_ACTIVE"], "2025-12-31T23:59:00Z")).to.equal(1_000);
    expect(getWait(["COOLDOWN_ACTIVE"], "2026-01-01T00:01:00Z")).to.equal(null);
    expect(getWait(["COOLDOWN_ACTIVE", "PAUSED"], soon)).to.equal(null);
    expect(getWait(["DAILY_CAP"], soon)).to.equal(null);
    expect(getWait(["SCOREBANK_EMPTY"], null)).to.equal(null);
    expect(getWait(["COOLDOWN_ACTIVE"], undefined)).to.equal(null);
    expect(getWait(undefined, soon)).to.equal(null);
  });

  it("the flow returns a rejection between readiness and payout", async () => {
    service.script[PAYOUT] = () =>
      createProblem(409, "PAYOUT_NOT_READY", { reasons: ["PAUSED"], nextEligibleAt: null, retryable: false });
    expect(await requestPayout({ client: open().client })).to.deep.include({ paid: false, reasons: ["PAUSED"] });
  });

  it("the flow continues a payout that an earlier run opened", async () => {
    service.script[READINESS] = body({ ready: false, reasons: ["PAYOUT_PENDING"], nextEligibleAt: null, token });
    service.script[PAYOUT] = body({ ...payout, status: "included" });
    expect((await requestPayout({ client: open().client })).paid).to.equal(true);
  });

  it("the flow throws for a payout whose transaction failed", async () => {
    service.script[PAYOUT] = body({ ...payout, status: "failed" });
    const error = await requestPayout({ client: open().client }).catch((error: unknown) => error);
    expect(isApiError(error, "TX_FAILED")).to.equal(true);
  });
});
