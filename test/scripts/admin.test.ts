import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { generatePrivateKey } from "viem/accounts";
import { openStore } from "../../backend/adapters/store/open-store.ts";
import { selectWinners } from "../../domain/voting.ts";
import { command } from "../../scripts/admin.ts";
import { addEndedSession, withStore } from "../../testing/ended-session.ts";
import { createAgent, type Player } from "../../testing/player.ts";
import { createPayoutRow, createTransactionRow } from "../adapters/store/rows.ts";
import { type CommandResult, callCommand, toCommandResult } from "../helpers/commands.ts";
import { useTestStack } from "../helpers/suite.ts";
import { closeWithoutChain, stopChain } from "../http/support/cut-chain.ts";
import { createTestAccount } from "../http/support/sign-in.ts";

describe("the operator's command line", () => {
  let agent: Player;
  let dataDir: string;

  const stack = useTestStack({}, closeWithoutChain);
  before(async () => {
    ({ dataDir } = stack);
    agent = await createAgent(stack);
  });

  const settings = () => ({ ARCADE_DATA_DIR: dataDir, ARCADE_RPC_URL: stack.chain.rpcUrl, NO_COLOR: "1" });
  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CommandResult> =>
    callCommand(command, args, { ...settings(), ...env });

  const spawnCommand = (args: readonly string[]): Promise<CommandResult> =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        ["scripts/run.mjs", "admin", ...args],
        { env: { ...process.env, ...settings() } },
        (error, out, err) =>
          resolve(toCommandResult(typeof error?.code === "number" ? error.code : error === null ? 0 : -1, out, err)),
      );
    });

  const admin = (...args: string[]): Promise<CommandResult> => run([...args, "--json"]);
  async function succeed(...args: string[]): Promise<CommandResult["json"]> {
    const result = await admin(...args);
    expect(result.code, result.err).to.equal(0);
    return result.json;
  }
  const audit = async (subject: string) => (await succeed("audit", "list", "--subject", subject)).audit;

  const APPLICATION = [...["--title", "Reef Rally", "--developer", "Coral Games", "--url", "https://example.org/reef"]];

  it("shows a help with examples, and exits with code 2 for unknown subcommands, flags and arguments", async () => {
    const help = await run(["--help"]);
    const own = await run(["voting", "open", "--help"]);
    expect(help.code).to.equal(0);
    for (const path of ["voting apply", "voting close", "sessions withhold", "keys status", "payouts pending"])
      expect(help.out).to.include(`npm run admin -- ${path}`);
    expect(own.code).to.equal(0);
    expect(own.out).to.include("npm run admin -- voting open --games reef-rally,kelp-kart --days 7");
    for (const args of [["voting", "dance"], ["voting", "open", "--fast"], ["voting", "list", "more"], []])
      expect((await run(args)).code, args.join(" ")).to.equal(2);
  });

  it("never creates a database", async () => {
    const empty = await mkdtemp(join(tmpdir(), "arcade-admin-"));
    try {
      const result = await run(["audit", "list"], { ARCADE_DATA_DIR: empty });
      expect(result.code).to.equal(1);
      expect(result.err).to.include("There is no database");
    } finally {
      await rm(empty, { recursive: true, force: true });
    }
  });

  it("rejects applications with an invalid field", async () => {
    const bad: readonly (readonly string[])[] = [
      ["--slug", "shellrunners", ...APPLICATION],
      ["--slug", "flappy", ...APPLICATION],
      ["--slug", "Reef Rally", ...APPLICATION],
      ["--slug", "reef", "--title", "\u202Efeer", "--developer", "D", "--url", "https://example.org"],
      ["--slug", "reef", "--title", "Reef", "--developer", "D", "--url", "javascript:alert(1)"],
      ["--slug", "reef", "--title", "Reef"],
    ];
    for (const flags of bad) expect((await admin("voting", "apply", ...flags)).code, flags.join(" ")).to.equal(2);
    expect((await succeed("voting", "list", "--state", "applied")).candidates).to.deep.equal([]);
  });

  it("takes a game from its application to its launch, with the server running", async () => {
    const status = async (slug = "reef-rally") =>
      (await stack.request("GET", `/api/voting/status?gameSlug=${slug}`)).body;
    await succeed("voting", "apply", "--slug", "reef-rally", ...APPLICATION, "--as", "ada");
    const listed = async () => (await run(["voting", "list"])).out;
    expect(await listed()).to.match(/^ {2}reef-rally +applied +– +Reef Rally +Coral Games$/m);
    expect((await admin("voting", "apply", "--slug", "reef-rally", ...APPLICATION)).code).to.equal(1);
    expect((await admin("voting", "onboard", "reef-rally", "--state", "launched")).err).to.include("is applied");
    expect((await admin("voting", "open", "--games", "reef-rally")).err).to.include("Cycle 1 is not closed");
    await succeed("voting", "close");
    expect((await stack.request("GET", "/api/voting/status")).body.cycle).to.equal(null);

    expect((await admin("voting", "open", "--games", "reef-rally")).err).to.include("Not approved: reef-rally");
    await succeed("voting", "review", "reef-rally", "--approve", "--note", "plays well", "--as", "ada");
    expect(await listed()).to.match(/^ {2}reef-rally +approved .*Coral Games +plays well$/m);
    const opened = await succeed("voting", "open", "--games", "reef-rally", "--days", "2", "--as", "ada");
    expect(opened.cycle).to.include({
      id: 2,
      openingBlock: (await stack.app.services.candidates.list()).cycle?.openingBlock,
    });
    expect(await status()).to.deep.nested.include({ "cycle.state": "open", totalVotes: 0 });

    await addEndedSession(stack, { wallet: agent.address, minScore: 300 });
    const ballot = { walletAddress: agent.address, gameSlug: "reef-rally", voteSource: "ai_agent" } as const;
    const { nonce, typedData } = await agent.client.voting.nonce(ballot);
    const signature = await agent.wallet.signTypedData!(typedData);
    expect(await agent.client.voting.vote({ ...ballot, nonce, signature })).to.include({ aiAgentVotes: 1 });

    const closed = await succeed("voting", "close", "--as", "ada");
    expect(closed.games).to.deep.equal([{ gameSlug: "reef-rally", human: 0, aiAgent: 1, state: "won" }]);
    expect((await succeed("voting", "result")).games).to.deep.equal(closed.games);
    expect((await status()).cycle.state).to.equal("closed");
    await succeed("voting", "onboard", "reef-rally", "--state", "onboarding", "--as", "ada");
    await succeed("voting", "onboard", "reef-rally", "--state", "launched", "--as", "ada");

    const rows = await audit("reef-rally");
    expect(rows.map(({ action, who }: { action: string; who: string }) => `${who}: ${action}`)).to.deep.equal([
      "ada: voting.launched",
      "ada: voting.onboarding",
      "ada: voting.approved",
      "ada: voting.apply",
    ]);
    expect(rows[2]).to.deep.nested.include({
      "before.state": "applied",
      "after.state": "approved",
      "after.note": "plays well",
    });
    expect(rows[3].before).to.equal(null);
    const [cycleClosed, cycleOpened] = await audit("cycle 2");
    expect(cycleOpened).to.deep.nested.include({ action: "voting.open", before: null, "after.games": ["reef-rally"] });
    expect(cycleClosed).to.deep.nested.include({
      who: "ada",
      "before.closedAtMs": null,
      "after.winners": ["reef-rally"],
    });
  });

  it("never declares a game without an agent's vote the winner", () => {
    const tally = (gameSlug: string, aiAgent: number, human: number) => ({ gameSlug, aiAgent, human });
    const tallies = [tally("crowd", 0, 900), tally("b", 2, 1), tally("a", 2, 1), tally("c", 2, 5)];
    expect(selectWinners(tallies, 1)).to.deep.equal(["c"]);
    expect(selectWinners(tallies, 9)).to.deep.equal(["c", "a", "b"]);
  });

  it("ends a session that the server runs", async () => {
    const { sessionId } = await agent.client.sessions.start({ slug: "flappybots", source: "agent_api" });
    const result = await succeed("sessions", "end", sessionId, "--reason", "stuck");
    expect(result).to.include({ sessionId, ended: true });
    const { session } = await agent.client.sessions.get({ slug: "flappybots", sessionId });
    expect(session).to.include({ phase: "ended" });
    expect((await audit(sessionId))[0]).to.deep.nested.include({
      who: userInfo().username,
      action: "sessions.end",
      "after.reason": "stuck",
    });
    expect((await admin("sessions", "end", sessionId)).err).to.include("has ended already");
    expect((await admin("sessions", "end", "nope")).err).to.include("There is no session nope");
  });

  it("withholds a verified score forever, and rejects practice sessions", async () => {
    const row = await addEndedSession(stack, { wallet: agent.address, minScore: 50 });
    await withStore(stack, (store) => store.sessions.setVerification(row.sessionId, "verified"));
    expect((await admin("sessions", "withhold", row.sessionId)).code, "no reason").to.equal(2);
    expect(await succeed("sessions", "withhold", row.sessionId, "--reason", "by hand")).to.include({
      outcome: "withheld",
    });
    const response = await stack.request("POST", "/api/rewards/snapshot", {
      token: await agent.getAccessToken(),
      body: { sessionId: row.sessionId },
    });
    expect(response.body.code).to.equal("REPLAY_MISMATCH");
    const again = await succeed("sessions", "withhold", row.sessionId, "--reason", "by hand");
    expect(again).to.include({ outcome: "unchanged" });
    const rows = await audit(row.sessionId);
    expect(rows).to.have.length(1);
    expect(rows[0]).to.deep.nested.include({ "before.verification": "verified", "after.verification": "withheld" });

    const practice = await addEndedSession(stack, { wallet: agent.address, source: "browser_ws" });
    const rejected = await admin("sessions", "withhold", practice.sessionId, "--reason", "x");
    expect(rejected.err).to.include("practice sessions");
  });

  it("works from another process beside the running server", async () => {
    const applied = await spawnCommand([
      "voting",
      "apply",
      "--slug",
      "next-door",
      ...APPLICATION,
      "--as",
      "bob",
      "--json",
    ]);
    expect(applied.code, applied.err).to.equal(0);
    expect((await audit("next-door"))[0]).to.include({ who: "bob", action: "voting.apply" });
  });

  it("exports the newsletter and records the export in the audit", async () => {
    await withStore(stack, async ({ newsletter }) => {
      await newsletter.add({ email: "b@example.org", createdAtMs: 1_800_000_000_000 });
      await newsletter.add({ email: "=cmd@example.org", createdAtMs: 1_800_000_000_000 });
    });
    const { out } = await run(["newsletter", "export", "--as", "ada"]);
    expect(out.trim().split("\n")).to.deep.equal([
      "email,subscribedAt",
      '"\'=cmd@example.org","2027-01-15T08:00:00.000Z"',
      '"b@example.org","2027-01-15T08:00:00.000Z"',
    ]);
    expect((await audit("newsletter"))[0]).to.deep.nested.include({ who: "ada", "after.addresses": 2 });
  });

  it("lists pending payouts with their amounts and the node's last answer", async () => {
    // A separate store, since the service settles the payouts of its store.
    const folder = await mkdtemp(join(tmpdir(), "arcade-admin-"));
    const wallet = createTestAccount(1).address;
    const store = await openStore({ databaseUrl: `sqlite:${join(folder, "arcade.db")}` });
    const amounts = { score: 5n, amount: 5n * 10n ** 18n };
    const row = { payoutId: "a-payout", wallet, ...amounts, createdAtMs: 1_800_000_000_000 };
    await store.payouts.open(createPayoutRow(row));
    const list = async () =>
      (await run(["payouts", "pending", "--json"], { ARCADE_DATA_DIR: folder })).json.payouts as readonly object[];
    try {
      expect(await list()).to.deep.equal([
        {
          payoutId: "a-payout",
          wallet,
          status: "pending",
          score: "5",
          amount: "5000000000000000000",
          createdAt: "2027-01-15T08:00:00.000Z",
          nonce: null,
          txHash: null,
          lastError: null,
        },
      ]);
      const transaction = createTransactionRow(7, { status: "queued", lastError: "insufficient funds" });
      await store.transactions.add(transaction);
      const { id: transactionId, txHash } = transaction;
      await store.payouts.advance("a-payout", "pending", { transactionId, txHash });
      expect((await list())[0]).to.include({ nonce: 7, txHash, lastError: "insufficient funds" });
    } finally {
      await store.close();
      await rm(folder, { recursive: true });
    }
  });

  it("shows the address, balance and role of every key, never the key", async () => {
    const { json, out } = await admin("keys", "status");
    expect(
      json.keys.map(({ duty: role, hasRole }: { duty: string; hasRole: boolean }) => [role, hasRole]),
    ).to.deep.equal([
      ["identity signer", true],
      ["score signer", true],
      ["NFT signer shellrunners", true],
      ["NFT signer flappybots", true],
      ["operator", true],
    ]);
    expect(BigInt(json.keys.at(-1).balanceWei) > 0n).to.equal(true);
    expect(out).to.not.match(/0x[0-9a-f]{64}/);
    const otherKey = `0x${"12".repeat(32)}`;
    const wrong = await run(["keys", "status", "--json"], { ARCADE_SCORE_SIGNER_KEY: otherKey });
    expect(wrong.code).to.equal(1);
    expect(wrong.json.keys[1]).to.include({ duty: "score signer", hasRole: false });
    expect(wrong.out + wrong.err).to.not.include("12".repeat(32));
  });

  it("works with commands' keys in the environment, which are not settings of the service", async () => {
    const names = ["ARCADE_ADMIN_KEY", "ARCADE_DEPLOYER_KEY", "ARCADE_GUARDIAN_KEY", "ARCADE_TREASURY_KEY"];
    const keys = Object.fromEntries(names.map((name) => [name, generatePrivateKey()]));
    for (const args of [
      ["backup", join(dataDir, "beside-keys.db")],
      ["keys", "status"],
    ]) {
      const { code, err } = await run(args, keys);
      expect(code, err).to.equal(0);
    }
  });

  it("exits with code 3 when the chain does not answer", async () => {
    await stopChain(stack);
    expect((await admin("keys", "status")).code).to.equal(3);
    expect((await admin("voting", "open", "--games", "reef-rally")).code).to.equal(3);
    expect((await admin("voting", "list")).code, "what needs no chain works").to.equal(0);
  });
});
