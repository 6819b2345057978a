import { expect } from "chai";
import { toGameId } from "../../backend/domain/replay/replay.ts";
import { createCall } from "../../backend/domain/typed-data/calls.ts";
import { ArcadeChainError, isApiError } from "../../client/errors.ts";
import { mintOrUpgradeNft, registerAgent, snapshotScore } from "../../client/flows.ts";
import { getPayoutWaitMs, requestPayout } from "../../client/payout-flows.ts";
import type { ArcadeWallet } from "../../client/wallet.ts";
import {
  CONTRACTS,
  createProblem,
  createServiceClient,
  createSignInScript,
  type FakeResponse,
  type FakeService,
  fakeWallet,
  startFakeService,
  WALLET,
} from "./fake-service.ts";

const OWNERSHIP = "POST /api/agents/identity/ownership-status";
const REGISTER = "POST /api/identity/register";
const SNAPSHOT = "POST /api/rewards/snapshot";
const PREPARE = "POST /api/games/flappybots/nft/prepare";
const RECORD = "POST /api/games/flappybots/nft/record";
const READINESS = "POST /api/rewards/readiness";
const PAYOUT = "POST /api/rewards/payout";
const STATUS = "GET /api/rewards/payout/p1";

const registerCall = createCall(31337, CONTRACTS.identity, "mintIdentityWithSignature", [
  WALLET,
  `0x${"33".repeat(32)}`,
  "1",
  "0x11",
]);
const mintCall = createCall(31337, CONTRACTS.nft.flappybots!, "mintSigned", [WALLET, "7", "9", "1", "0x11"]);
const token = { address: WALLET, name: "Token", symbol: "TKN", decimals: 18 };
const summary = { sessionId: "s1", gameSlug: "flappybots", scoreDelta: 9, gameSessionHash: `0x${"22".repeat(32)}` };
const snapshotCall = createCall(31337, CONTRACTS.rewards, "snapshotScoreSigned", [
  WALLET,
  toGameId("flappybots"),
  "9",
  summary.gameSessionHash,
  "1",
  "0x11",
]);
const body = (fields: object) => (): FakeResponse => ({ body: fields });

describe("client: flows", () => {
  let service: FakeService;
  let sent: number;
  /** Reverts the given number of times, then sends. */
  let reverts: number;
  let wallet: ArcadeWallet;
  beforeEach(async () => {
    service = await startFakeService(createSignInScript());
    sent = 0;
    reverts = 0;
    wallet = {
      ...fakeWallet,
      async sendCall() {
        if (reverts > 0) {
          reverts -= 1;
          throw new ArcadeChainError("REVERTED", "SessionAlreadyConsumed");
        }
        sent += 1;
        return { txHash: "0x77" };
      },
    };
  });
  afterEach(() => service.close());
  const open = () => createServiceClient(service, { wallet });

  describe("registerAgent", () => {
    const unownedStatus = { owned: false, agentId: null };
    it("the flow sends nothing for a wallet that holds its identity", async () => {
      service.script[OWNERSHIP] = body({ owned: true, agentId: "7" });
      expect(await registerAgent({ client: open().client, agentName: "Pinch" })).to.deep.equal({
        agentId: "7",
        receipt: null,
      });
      expect(sent).to.equal(0);
      expect(service.countRequests(REGISTER)).to.equal(0);
    });

    it("the flow registers, sends the call and waits until the service sees it", async () => {
      service.script[OWNERSHIP] = (_, times) => ({ body: times < 4 ? unownedStatus : { owned: true, agentId: "8" } });
      service.script[REGISTER] = body({ call: registerCall });
      const { client, delaysMs } = open();
      const { agentId, receipt } = await registerAgent({ client, agentName: "Pinch", description: "crab" });
      expect(agentId).to.equal("8");
      expect(receipt!.txHash).to.equal("0x77");
      expect(delaysMs).to.have.lengthOf(2);
      const requestCount = service.requests.find(({ path }) => path === "/api/identity/register")!.body;
      expect(requestCount).to.deep.equal({ agentName: "Pinch", description: "crab", walletAddress: WALLET });
    });

    it("the flow accepts an identity that another run has registered", async () => {
      service.script[OWNERSHIP] = body(unownedStatus);
      service.script[REGISTER] = () => createProblem(409, "ALREADY_REGISTERED", { agentId: "9", retryable: false });
      expect((await registerAgent({ client: open().client, agentName: "Pinch" })).agentId).to.equal("9");
    });
  });

  describe("snapshotScore", () => {
    it("the flow sends the signed snapshot and confirms it", async () => {
      service.script[SNAPSHOT] = ({ body: requestCount }) => ({
        body:
          "txHash" in requestCount
            ? { mode: "recorded", ...summary, txHash: "0x77", finality: "included" }
            : { mode: "sign", ...summary, call: snapshotCall },
      });
      const done = await snapshotScore({ client: open().client, sessionId: "s1" });
      expect(done).to.include({ mode: "recorded", scoreDelta: 9, txHash: "0x77" });
      expect(service.requests.at(-1)!.body).to.deep.equal({ sessionId: "s1", txHash: "0x77" });
    });

    it("the flow sends nothing for a score that is on chain", async () => {
      service.script[SNAPSHOT] = body({ mode: "already_done", ...summary, txHash: "0x55" });
      const done = await snapshotScore({ client: open().client, sessionId: "s1" });
      expect(done).to.include({ mode: "already_done", txHash: "0x55", receipt: null });
      expect(sent).to.equal(0);
    });

    it("the flow tries again after a revert, since an earlier run's transaction may have been included", async () => {
      reverts = 1;
      service.script[SNAPSHOT] = (_, times) => ({
        body:
          times === 1
            ? { mode: "sign", ...summary, call: snapshotCall }
            : { mode: "already_done", ...summary, txHash: "0x55" },
      });
      expect((await snapshotScore({ client: open().client })).mode).to.equal("already_done");
    });

    it("the flow throws a second revert", async () => {
      reverts = 2;
      service.script[SNAPSHOT] = body({ mode: "sign", ...summary, call: snapshotCall });
      const error = await snapshotScore({ client: open().client }).catch((error: unknown) => error);
      expect(error).to.be.instanceOf(ArcadeChainError);
      expect(service.countRequests(SNAPSHOT)).to.equal(2);
    });

    it("the flow says when there is no score", async () => {
      service.script[SNAPSHOT] = () => createProblem(409, "NOTHING_TO_SNAPSHOT", { retryable: false });
      expect((await snapshotScore({ client: open().client })).mode).to.equal("none");
    });

    it("the flow throws for a withheld score", async () => {
      service.script[SNAPSHOT] = () => createProblem(409, "REPLAY_MISMATCH", { retryable: false });
      const error = await snapshotScore({ client: open().client }).catch((error: unknown) => error);
      expect(isApiError(error, "REPLAY_MISMATCH")).to.equal(true);
    });
  });

  describe("mintOrUpgradeNft", () => {
    it("the flow mints and records, waiting while the service has not seen the transaction", async () => {
      service.script[PREPARE] = body({ action: "mint", score: 9, tier: 1, tokenId: null, call: mintCall });
      service.script[RECORD] = (_, times) =>
        times < 3
          ? createProblem(404, "TX_NOT_FOUND", { retryable: true })
          : { body: { recorded: true, action: "mint", tokenId: "7", tier: 1, score: 9 } };
      const done = await mintOrUpgradeNft({ client: open().client, slug: "flappybots" });
      expect(done).to.include({ action: "mint", tokenId: "7", tier: 1, reason: null });
      expect(service.countRequests(RECORD)).to.equal(3);
    });

    it("the flow says why there is nothing to do", async () => {
      service.script[PREPARE] = body({ action: "none", reason: "BELOW_FIRST_TIER", score: 9, tier: 0, tokenId: null });
      const done = await mintOrUpgradeNft({ client: open().client, slug: "flappybots" });
      expect(done).to.include({ action: "none", reason: "BELOW_FIRST_TIER", receipt: null });
      expect(sent).to.equal(0);
    });
  });

  describe("requestPayout", () => {
    const payout = { payoutId: "p1", txHash: null, amount: "9", score: 9 };
    beforeEach(() => {
      service.script[READINESS] = body({ ready: true, reasons: [], nextEligibleAt: null, token });
    });

    it("the flow waits for the block of a payout that was only accepted", async () => {
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

    it("the flow returns the reasons and the next time, and requests no payout", async () => {
      const nextEligibleAt = "2026-01-01T00:00:00.000Z";
      service.script[READINESS] = body({ ready: false, reasons: ["COOLDOWN_ACTIVE"], nextEligibleAt, token });
      const outcome = await requestPayout({ client: open().client });
      const answer = { reasons: ["COOLDOWN_ACTIVE"], nextEligibleAt, eligibleInSeconds: null, token };
      expect(outcome).to.deep.equal({ paid: false, ...answer });
      expect(service.countRequests(PAYOUT)).to.equal(0);
    });

    it("the flow waits for the end of a cooldown and asks again", async () => {
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
      expect((await requestPayout({ client, waitMaxMs: 30_000 })).paid).to.equal(true);
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
        expect((await requestPayout({ client, waitMaxMs: 30_000 })).paid).to.equal(true);
        expect(delaysMs).to.deep.equal([11_000, 6_000]);
      });

    it("the flow asks on until the block after the end of the cooldown, which some chains make 12 s later", async () => {
      const nextEligibleAt = new Date(Date.now() - 1_000).toISOString();
      service.script[READINESS] = (_, times) => ({
        body:
          times <= 12 ? { ready: false, reasons: ["COOLDOWN_ACTIVE"], nextEligibleAt, token } : { ready: true, token },
      });
      service.script[PAYOUT] = body({ ...payout, status: "included" });
      const { client, delaysMs } = open();
      expect((await requestPayout({ client, waitMaxMs: 30_000 })).paid).to.equal(true);
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

    it("a cooldown and a new identity are waited for, other reasons and longer times are not", () => {
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
});
