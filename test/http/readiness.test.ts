import { expect } from "chai";
import { encodeFunctionData, parseAbi } from "viem";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import type { ChainReader, Head, RoleHolder } from "../../backend/ports/chain.ts";
import type { SignerRole, Signers } from "../../backend/ports/system.ts";
import { Readiness } from "../../backend/services/operations/readiness.ts";
import { SignerCheck } from "../../backend/services/operations/signer-check.ts";
import { ROLES, type Roles } from "../../domain/roles.ts";
import { waitFor } from "../adapters/chain/chain-fixture.ts";
import { startTestStack } from "../helpers/suite.ts";
import { TestClock } from "../helpers/test-clock.ts";
import { ShiftClock } from "./support/shift-clock.ts";

describe("/readyz", () => {
  it("/readyz stays 200 and reports the key when a signer has lost its role on chain", async () => {
    const clock = new ShiftClock();
    const stack = await startTestStack({ clock });
    try {
      const abi = parseAbi(["function revokeSigner(address account)"]);
      const scoreSigner = developmentServiceAccount(4).address;
      await stack.chain.request("eth_sendTransaction", [
        {
          from: developmentServiceAccount(0).address,
          to: stack.deployment.rewards,
          data: encodeFunctionData({ abi, args: [scoreSigner] }),
        },
      ]);
      // Roles are refreshed every 10 s in the background.
      clock.advance(11_000);
      const { body } = await waitFor(async () => {
        const response = await stack.request("GET", "/readyz");
        expect(response.status).to.equal(200);
        return response.body.checks.every(({ ok }: { ok: boolean }) => ok) ? null : response;
      });
      expect(body.ready).to.equal(true);
      const signers = body.checks.find(({ name }: { name: string }) => name === "signers");
      expect(signers).to.include({ ok: false, required: false });
      expect(signers.sentence).to.include(scoreSigner).and.include("score").and.include(stack.deployment.rewards);
    } finally {
      await stack.close();
    }
  });

  it("reports the contracts that are paused on chain, as an alarm that /status and the metrics show too", async () => {
    const clock = new ShiftClock();
    const stack = await startTestStack({ clock });
    try {
      const findPause = async (path: string) => {
        const { status, body } = await stack.request("GET", path);
        expect(status).to.equal(200);
        return body.checks.find(({ name }: { name: string }) => name === "pause");
      };
      expect(await findPause("/readyz")).to.deep.equal({ name: "pause", ok: true, sentence: "fine", required: false });
      const call = { from: developmentServiceAccount(0).address, data: "0x8456cb59" };
      for (const to of [stack.deployment.rewards, stack.deployment.nft.flappybots])
        await stack.chain.request("eth_sendTransaction", [{ ...call, to }]);
      clock.advance(11_000);
      await waitFor(async () => (await findPause("/readyz")).ok === false);
      const { required, sentence } = await findPause("/status");
      expect(required).to.equal(false);
      expect(sentence).to.match(/^paused on chain: rewards, nft\.flappybots; /);
      expect((await stack.request("GET", "/metrics")).body).to.include('arcade_ready{check="pause"} 0');
    } finally {
      await stack.close();
    }
  });

  const head: Head = { number: 7, hash: "0x00", timestamp: Date.UTC(2030, 0, 1) / 1000 };
  const createReadiness = (clock: TestClock, more: object = {}) =>
    new Readiness({
      roles: ROLES,
      findPlaneProblem: null,
      store: { probe: async () => {} },
      index: { getHead: () => head, getProblem: () => null },
      listNodes: () => [],
      clock,
      draining: () => false,
      recovery: () => ({ done: 0, total: 0, isStart: false }),
      signerCheck: { findProblem: () => null },
      findPauseProblem: () => null,
      chainAudit: { findProblem: () => null },
      headAgeMaxSeconds: 120,
      ...more,
    });
  const getCheck = async (readiness: Readiness, name: string) =>
    (await readiness.check()).checks.find((check) => check.name === name)!;

  it("/readyz stays 200 while the chain's head does not move, and raises an alarm", async () => {
    const clock = new TestClock();
    const readiness = createReadiness(clock);
    clock.advance(120_000);
    expect(await getCheck(readiness, "chain")).to.include({ ok: true });
    clock.advance(1000);
    expect(await getCheck(readiness, "chain")).to.deep.include({
      ok: false,
      sentence:
        "block 7, the node's latest, is 121 s old; expected at most 120 s; the node may have stopped, or this machine's clock is ahead",
    });
    expect((await readiness.check()).ready).to.equal(true);
  });

  it("/readyz stays 200 while one of several nodes is not used, and reports it without its address", async () => {
    const nodes = [
      { place: 1, host: "one.example", head: 7, problem: null },
      { place: 2, host: "two.example", head: 1, problem: "is 6 blocks behind" },
    ];
    const readiness = createReadiness(new TestClock(), { listNodes: () => nodes });
    expect(await getCheck(readiness, "nodes")).to.deep.equal({
      name: "nodes",
      ok: true,
      sentence: "degraded: node 2 is 6 blocks behind",
      required: false,
    });
  });

  it("/readyz stays 200 while chain, signers and audit fail; only processes that use them raise the alarms", async () => {
    const wrong = {
      index: { getHead: () => null, getProblem: () => "the node is away" },
      signerCheck: { findProblem: () => "a signer is not accepted" },
      chainAudit: { findProblem: () => "the stored events differ" },
    };
    const listAlarms = async (roles: Roles) => {
      const { ready, checks } = await createReadiness(new TestClock(), { roles, ...wrong }).check();
      expect(ready, roles.join()).to.equal(true);
      return checks.flatMap(({ name, ok }) => (ok ? [] : [name]));
    };
    expect(await listAlarms(["live", "edge"])).to.deep.equal([]);
    expect(await listAlarms(["live", "api"])).to.deep.equal(["chain", "signers"]);
    expect(await listAlarms(["chain"])).to.deep.equal(["chain", "signers", "audit"]);
  });

  it("/readyz is 503 while a start recovers open sessions, and reports how many run again", async () => {
    let progress = { done: 3, total: 20, isStart: true };
    const readiness = createReadiness(new TestClock(), { recovery: () => progress });
    const problem = { ok: false, sentence: "recovering: 3 of 20 open sessions run again" };
    expect((await readiness.check()).ready).to.equal(false);
    expect(await getCheck(readiness, "sessions")).to.deep.include({ ...problem, required: true });
    progress = { ...progress, done: 20 };
    expect((await readiness.check()).ready).to.equal(true);
    // Those of another process.
    progress = { ...progress, done: 3, isStart: false };
    expect((await readiness.check()).ready).to.equal(true);
    expect(await getCheck(readiness, "sessions")).to.deep.include({ ...problem, required: false });
  });

  it("/readyz is 503 when the database fails or the process stops", async () => {
    const fail = async () => {
      throw new Error("SQLITE_READONLY: secret path");
    };
    const readiness = createReadiness(new TestClock(), { store: { probe: fail }, draining: () => true });
    expect(await getCheck(readiness, "database")).to.deep.include({ ok: false, sentence: "the check failed" });
    expect(await getCheck(readiness, "process")).to.include({ ok: false });
    expect((await readiness.check()).ready).to.equal(false);
  });

  describe("reads the roles of the keys", () => {
    let clock: TestClock;
    let questions: string[][];
    let isAccepted: (account: string) => boolean | Promise<boolean>;
    let check: SignerCheck;
    beforeEach(() => {
      clock = new TestClock();
      questions = [];
      isAccepted = async () => true;
      check = new SignerCheck({
        clock,
        operator: "0x0a",
        slugs: ["flappybots"],
        signers: ((role: string) => ({ address: `0x${role}` })) as unknown as Signers,
        chain: {
          deployment: { identity: "0x01", rewards: "0x02", nft: { flappybots: "0x03", unknown: "0x04" } },
          checkRoles: (holders: readonly RoleHolder[]) => {
            questions.push(holders.map(({ role, contract, account }) => `${role} ${contract} ${account}`));
            return Promise.all(holders.map(({ role, account }) => role === "signer" && isAccepted(account)));
          },
        } as unknown as ChainReader,
      });
    });
    const getRejection = (role: SignerRole) => check.requireAccepted(role).catch((error: unknown) => error);

    it("at most every ten seconds, for every signer of a known game and the operator", async () => {
      await check.refreshIfDue();
      expect(check.findProblem()).to.match(/0x0a relay payouts/);
      await check.refreshIfDue();
      const signers = ["signer 0x01 0xidentity", "signer 0x02 0xscore", "signer 0x03 0xnft:flappybots"];
      expect(questions).to.deep.equal([[...signers, "operator 0x02 0x0a"]]);
      clock.advance(10_000);
      await check.refreshIfDue();
      expect(questions).to.have.length(2);
    });

    it("after its answer, which reports that they are not known yet", async () => {
      isAccepted = () => new Promise(() => undefined);
      void check.refreshIfDue();
      expect(check.findProblem()).to.equal("the roles of the keys have not been read from the chain yet");
      await check.refreshIfDue();
    });

    it("not for a signature if the key was accepted in the last minute", async () => {
      await check.refreshIfDue();
      questions.length = 0;
      isAccepted = async () => false;
      clock.advance(59_999);
      await check.requireAccepted("score");
      expect(questions).to.deep.equal([]);
      clock.advance(1);
      expect(await getRejection("score")).to.include({ code: "SIGNER_UNAVAILABLE" });
    });

    it("for each signature by a key that was rejected, until it is accepted", async () => {
      isAccepted = async (account) => account !== "0xscore";
      expect(await getRejection("score")).to.include({ code: "SIGNER_UNAVAILABLE" });
      await check.requireAccepted("identity");
      isAccepted = async () => true;
      await check.requireAccepted("score");
    });
  });
});
