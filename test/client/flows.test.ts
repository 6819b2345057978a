import { expect } from "chai";
import { ArcadeChainError, isApiError } from "../../client/errors.ts";
import { mintOrUpgradeNft, registerAgent, snapshotScore } from "../../client/flows.ts";
import type { ArcadeWallet } from "../../client/wallet.ts";
import { toGameId } from "../../domain/replay/replay.ts";
import { createCall } from "../../domain/typed-data/calls.ts";
import { useEach } from "../helpers/fixture.ts";
import {
  CONTRACTS,
  createProblem,
  createServiceClient,
  createSignInScript,
  type FakeResponse,
  fakeWallet,
  startFakeService,
  WALLET,
} from "./fake-service.ts";

const OWNERSHIP = "POST /api/agents/identity/ownership-status";
const REGISTER = "POST /api/identity/register";
const SNAPSHOT = "POST /api/rewards/snapshot";
const PREPARE = "POST /api/games/flappybots/nft/prepare";
const RECORD = "POST /api/games/flappybots/nft/record";

const registerCall = createCall(31337, CONTRACTS.identity, "mintIdentityWithSignature", [
  WALLET,
  `0x${"33".repeat(32)}`,
  "1",
  "0x11",
]);
const mintCall = createCall(31337, CONTRACTS.nft.flappybots!, "mintSigned", [WALLET, "7", "9", "1", "0x11"]);
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
  let sent: number;
  /** Reverts the given number of times, then sends. */
  let reverts: number;
  let wallet: ArcadeWallet;
  const service = useEach(() => startFakeService(createSignInScript()));
  beforeEach(async () => {
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

    it("the flow retries after a revert, since an earlier run's transaction may have been included", async () => {
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

    it("the flow reports that there is no score", async () => {
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

    it("the flow reports why nothing can be done", async () => {
      service.script[PREPARE] = body({ action: "none", reason: "BELOW_FIRST_TIER", score: 9, tier: 0, tokenId: null });
      const done = await mintOrUpgradeNft({ client: open().client, slug: "flappybots" });
      expect(done).to.include({ action: "none", reason: "BELOW_FIRST_TIER", receipt: null });
      expect(sent).to.equal(0);
    });
  });
});
