import { expect } from "chai";
import { makeCall } from "../../backend/domain/calls.ts";
import { ArcadeChainError, isApiError } from "../../client/errors.ts";
import { progressNft, registerAgent, requestPayout, snapshotScore } from "../../client/flows.ts";
import type { ArcadeWallet } from "../../client/wallet.ts";
import {
  clientOf,
  type FakeService,
  fakeWallet,
  problem,
  type Reply,
  signInScript,
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

const call = makeCall(31337, WALLET, "payout", [WALLET]);
const token = { address: WALLET, name: "Token", symbol: "TKN", decimals: 18 };
const summary = { sessionId: "s1", gameSlug: "flappybots", scoreDelta: 9, gameSessionHash: `0x${"22".repeat(32)}` };
const body = (fields: object) => (): Reply => ({ body: fields });

describe("client: flows", () => {
  let service: FakeService;
  let sent: number;
  /** Reverts as often as told, then sends. */
  let reverts: number;
  let wallet: ArcadeWallet;
  beforeEach(async () => {
    service = await startFakeService(signInScript());
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
  const open = () => clientOf(service, { wallet });

  describe("registerAgent", () => {
    const notOwned = { owned: false, agentId: null };
    it("sends nothing for a wallet that holds its identity", async () => {
      service.script[OWNERSHIP] = body({ owned: true, agentId: "7" });
      expect(await registerAgent({ client: open().client, agentName: "Pinch" })).to.deep.equal({
        agentId: "7",
        receipt: null,
      });
      expect(sent).to.equal(0);
      expect(service.timesOf(REGISTER)).to.equal(0);
    });

    it("registers, sends the call and waits until the service sees it", async () => {
      service.script[OWNERSHIP] = (_, times) => ({ body: times < 4 ? notOwned : { owned: true, agentId: "8" } });
      service.script[REGISTER] = body({ call });
      const { client, waits } = open();
      const { agentId, receipt } = await registerAgent({ client, agentName: "Pinch", description: "crab" });
      expect(agentId).to.equal("8");
      expect(receipt!.txHash).to.equal("0x77");
      expect(waits).to.have.lengthOf(2);
      const asked = service.heard.find(({ path }) => path === "/api/identity/register")!.body;
      expect(asked).to.deep.equal({ agentName: "Pinch", description: "crab", walletAddress: WALLET });
    });

    it("takes a registration of somebody quicker for its own", async () => {
      service.script[OWNERSHIP] = body(notOwned);
      service.script[REGISTER] = () => problem(409, "ALREADY_REGISTERED", { agentId: "9", retryable: false });
      expect((await registerAgent({ client: open().client, agentName: "Pinch" })).agentId).to.equal("9");
    });
  });

  describe("snapshotScore", () => {
    it("signs, sends and confirms", async () => {
      service.script[SNAPSHOT] = ({ body: asked }) => ({
        body:
          "txHash" in asked
            ? { mode: "recorded", ...summary, txHash: "0x77", finality: "included" }
            : { mode: "sign", ...summary, call },
      });
      const done = await snapshotScore({ client: open().client, sessionId: "s1" });
      expect(done).to.include({ mode: "recorded", scoreDelta: 9, txHash: "0x77" });
      expect(service.heard.at(-1)!.body).to.deep.equal({ sessionId: "s1", txHash: "0x77" });
    });

    it("sends nothing for a score that is on chain", async () => {
      service.script[SNAPSHOT] = body({ mode: "already_done", ...summary, txHash: "0x55" });
      const done = await snapshotScore({ client: open().client, sessionId: "s1" });
      expect(done).to.include({ mode: "already_done", txHash: "0x55", receipt: null });
      expect(sent).to.equal(0);
    });

    it("asks again after a revert: an earlier run's transaction may have come first", async () => {
      reverts = 1;
      service.script[SNAPSHOT] = (_, times) => ({
        body: times === 1 ? { mode: "sign", ...summary, call } : { mode: "already_done", ...summary, txHash: "0x55" },
      });
      expect((await snapshotScore({ client: open().client })).mode).to.equal("already_done");
    });

    it("hands a second revert to the caller", async () => {
      reverts = 2;
      service.script[SNAPSHOT] = body({ mode: "sign", ...summary, call });
      const error = await snapshotScore({ client: open().client }).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(ArcadeChainError);
      expect(service.timesOf(SNAPSHOT)).to.equal(2);
    });

    it("says when there is nothing", async () => {
      service.script[SNAPSHOT] = () => problem(409, "NOTHING_TO_SNAPSHOT", { retryable: false });
      expect((await snapshotScore({ client: open().client })).mode).to.equal("none");
    });

    it("hands a withheld score to the caller", async () => {
      service.script[SNAPSHOT] = () => problem(409, "REPLAY_MISMATCH", { retryable: false });
      const error = await snapshotScore({ client: open().client }).catch((thrown: unknown) => thrown);
      expect(isApiError(error, "REPLAY_MISMATCH")).to.equal(true);
    });
  });

  describe("progressNft", () => {
    it("mints and records, waiting while the service has not seen the transaction", async () => {
      service.script[PREPARE] = body({ action: "mint", score: 9, tier: 1, tokenId: null, call });
      service.script[RECORD] = (_, times) =>
        times < 3
          ? problem(404, "TX_NOT_FOUND", { retryable: true })
          : { body: { recorded: true, action: "mint", tokenId: "7", tier: 1, score: 9 } };
      const done = await progressNft({ client: open().client, slug: "flappybots" });
      expect(done).to.include({ action: "mint", tokenId: "7", tier: 1, reason: null });
      expect(service.timesOf(RECORD)).to.equal(3);
    });

    it("says why there is nothing to do", async () => {
      service.script[PREPARE] = body({ action: "none", reason: "BELOW_FIRST_TIER", score: 9, tier: 0, tokenId: null });
      const done = await progressNft({ client: open().client, slug: "flappybots" });
      expect(done).to.include({ action: "none", reason: "BELOW_FIRST_TIER", receipt: null });
      expect(sent).to.equal(0);
    });
  });

  describe("requestPayout", () => {
    const payout = { payoutId: "p1", txHash: null, amount: "9", score: 9 };
    beforeEach(() => {
      service.script[READINESS] = body({ ready: true, reasons: [], nextEligibleAt: null, token });
    });

    it("waits for the block of a payout that was only accepted", async () => {
      service.script[PAYOUT] = () => ({ status: 202, body: { ...payout, status: "pending" } });
      service.script[STATUS] = (_, times) => ({
        body: times < 3 ? { ...payout, status: "sent" } : { ...payout, status: "included", txHash: "0x99" },
      });
      const { client, waits } = open();
      const outcome = await requestPayout({ client });
      if (!outcome.paid) throw new Error("not paid");
      expect(outcome.payout).to.include({ status: "included", txHash: "0x99" });
      expect(waits).to.have.lengthOf(3);
    });

    it("tells the reasons and the next time, and asks for nothing then", async () => {
      const nextEligibleAt = "2026-01-01T00:00:00.000Z";
      service.script[READINESS] = body({ ready: false, reasons: ["COOLDOWN_ACTIVE"], nextEligibleAt, token });
      const outcome = await requestPayout({ client: open().client });
      expect(outcome).to.deep.equal({ paid: false, reasons: ["COOLDOWN_ACTIVE"], nextEligibleAt, token });
      expect(service.timesOf(PAYOUT)).to.equal(0);
    });

    it("tells a refusal that came between readiness and payout", async () => {
      service.script[PAYOUT] = () =>
        problem(409, "PAYOUT_NOT_READY", { reasons: ["PAUSED"], nextEligibleAt: null, retryable: false });
      expect(await requestPayout({ client: open().client })).to.deep.include({ paid: false, reasons: ["PAUSED"] });
    });

    it("goes on with a payout that an earlier run opened", async () => {
      service.script[READINESS] = body({ ready: false, reasons: ["PAYOUT_PENDING"], nextEligibleAt: null, token });
      service.script[PAYOUT] = body({ ...payout, status: "included" });
      expect((await requestPayout({ client: open().client })).paid).to.equal(true);
    });

    it("throws for a payout whose transaction failed", async () => {
      service.script[PAYOUT] = body({ ...payout, status: "failed" });
      const error = await requestPayout({ client: open().client }).catch((thrown: unknown) => thrown);
      expect(isApiError(error, "TX_FAILED")).to.equal(true);
    });
  });
});
