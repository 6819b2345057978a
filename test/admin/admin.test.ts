import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { winnersOf } from "../../backend/domain/voting.ts";
import { runAdmin } from "../../scripts/admin/run.ts";
import { makeAgent, type Player } from "../helpers/player.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { cutChain, endWithoutChain } from "../http/support/cut-chain.ts";
import { plantSession, withStore } from "../http/support/plant-session.ts";
import { accountOf } from "../http/support/sign-in.ts";

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly json: any;
}

describe("the operator's command line", function () {
  this.timeout(60_000);
  let suite: Suite;
  let agent: Player;
  let dataDir: string;

  before(async () => {
    suite = await startSuite();
    ({ dataDir } = suite);
    agent = await makeAgent(suite);
  });
  after(() => endWithoutChain(suite));

  const settings = () => ({ ARCADE_DATA_DIR: dataDir, ARCADE_RPC_URL: suite.chain.rpcUrl, NO_COLOR: "1" });
  const endedOf = (code: number, out: string, err: string): Ended => ({
    code,
    out,
    err,
    json: out.startsWith("{") ? JSON.parse(out) : null,
  });

  /** The command inside this process, which is a hundred times as quick as one of its own. */
  async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const before = { ...process.env };
    const writes = { out: process.stdout.write, err: process.stderr.write };
    const texts = { out: "", err: "" };
    const keep = (stream: keyof typeof texts) =>
      ((text: string) => {
        texts[stream] += text;
        return true;
      }) as typeof process.stdout.write;
    Object.assign(process.env, settings(), env);
    process.stdout.write = keep("out");
    process.stderr.write = keep("err");
    try {
      return endedOf(await runAdmin(args), texts.out, texts.err);
    } finally {
      process.stdout.write = writes.out;
      process.stderr.write = writes.err;
      process.env = before;
    }
  }

  const runApart = (args: readonly string[]): Promise<Ended> =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        ["scripts/admin.ts", ...args],
        { env: { ...process.env, ...settings() } },
        (fault, out, err) =>
          resolve(endedOf(typeof fault?.code === "number" ? fault.code : fault === null ? 0 : -1, out, err)),
      );
    });

  const admin = (...args: string[]): Promise<Ended> => run([...args, "--json"]);
  async function succeed(...args: string[]): Promise<Ended["json"]> {
    const ended = await admin(...args);
    expect(ended.code, ended.err).to.equal(0);
    return ended.json;
  }
  const audit = async (subject: string) => (await succeed("audit", "list", "--subject", subject)).audit;

  const APPLICATION = [...["--title", "Reef Rally", "--developer", "Coral Games", "--url", "https://example.org/reef"]];

  it("has a help with examples, and exit code 2 for what it does not know", async () => {
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

  it("never makes a database of its own", async () => {
    const empty = await mkdtemp(join(tmpdir(), "arcade-admin-"));
    try {
      const ended = await run(["audit", "list"], { ARCADE_DATA_DIR: empty });
      expect(ended.code).to.equal(1);
      expect(ended.err).to.include("There is no database");
    } finally {
      await rm(empty, { recursive: true, force: true });
    }
  });

  it("refuses applications that cannot be listed", async () => {
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
      (await suite.request("GET", `/api/voting/status?gameSlug=${slug}`)).body;
    await succeed("voting", "apply", "--slug", "reef-rally", ...APPLICATION, "--as", "ada");
    expect((await admin("voting", "apply", "--slug", "reef-rally", ...APPLICATION)).code).to.equal(1);
    expect((await admin("voting", "onboard", "reef-rally", "--state", "launched")).err).to.include("is applied");
    expect((await admin("voting", "open", "--games", "reef-rally")).err).to.include("Cycle 1 is not closed");
    await succeed("voting", "close");
    expect((await suite.request("GET", "/api/voting/status")).body.cycle).to.equal(null);

    expect((await admin("voting", "open", "--games", "reef-rally")).err).to.include("Not approved: reef-rally");
    await succeed("voting", "review", "reef-rally", "--approve", "--note", "plays well", "--as", "ada");
    const opened = await succeed("voting", "open", "--games", "reef-rally", "--days", "2", "--as", "ada");
    expect(opened.cycle).to.include({
      id: 2,
      openingBlock: (await suite.app.services.voting.candidates()).cycle?.openingBlock,
    });
    expect(await status()).to.deep.nested.include({ "cycle.state": "open", totalVotes: 0 });

    await plantSession(suite, { wallet: agent.address, minScore: 300 });
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

  it("lets no game win without an agent's vote", () => {
    const tally = (gameSlug: string, aiAgent: number, human: number) => ({ gameSlug, aiAgent, human });
    const tallies = [tally("crowd", 0, 900), tally("b", 2, 1), tally("a", 2, 1), tally("c", 2, 5)];
    expect(winnersOf(tallies, 1)).to.deep.equal(["c"]);
    expect(winnersOf(tallies, 9)).to.deep.equal(["c", "a", "b"]);
  });

  it("ends a session that the server runs", async () => {
    const { sessionId } = await agent.client.sessions.start({ slug: "flappybots", source: "agent_api" });
    const ended = await succeed("sessions", "end", sessionId, "--reason", "stuck");
    expect(ended).to.include({ sessionId, ended: true });
    const { session } = await agent.client.sessions.get({ slug: "flappybots", sessionId });
    expect(session).to.include({ phase: "ended" });
    expect((await audit(sessionId))[0]).to.deep.nested.include({
      who: userInfo().username,
      action: "sessions.end",
      "after.reason": "stuck",
    });
    expect((await admin("sessions", "end", sessionId)).err).to.include("has ended already");
    expect((await admin("sessions", "end", "nope")).err).to.include("There is no session");
  });

  it("withholds a verified score for ever, and nothing that is on chain", async () => {
    const row = await plantSession(suite, { wallet: agent.address, minScore: 50 });
    await withStore(suite, (store) => store.sessions.setVerification(row.sessionId, "verified"));
    expect((await admin("sessions", "withhold", row.sessionId)).code, "no reason").to.equal(2);
    expect(await succeed("sessions", "withhold", row.sessionId, "--reason", "by hand")).to.include({
      outcome: "withheld",
    });
    const answer = await suite.request("POST", "/api/rewards/snapshot", {
      token: await agent.token(),
      body: { sessionId: row.sessionId },
    });
    expect(answer.body.code).to.equal("REPLAY_MISMATCH");
    const again = await succeed("sessions", "withhold", row.sessionId, "--reason", "by hand");
    expect(again).to.include({ outcome: "unchanged" });
    const rows = await audit(row.sessionId);
    expect(rows).to.have.length(1);
    expect(rows[0]).to.deep.nested.include({ "before.verification": "verified", "after.verification": "withheld" });

    const practice = await plantSession(suite, { wallet: agent.address, source: "browser_ws" });
    const refused = await admin("sessions", "withhold", practice.sessionId, "--reason", "x");
    expect(refused.err).to.include("practice sessions");
  });

  it("works from another process beside the running server", async () => {
    const applied = await runApart(["voting", "apply", "--slug", "next-door", ...APPLICATION, "--as", "bob", "--json"]);
    expect(applied.code, applied.err).to.equal(0);
    expect((await audit("next-door"))[0]).to.include({ who: "bob", action: "voting.apply" });
  });

  it("exports the newsletter, and says so in the audit", async () => {
    await withStore(suite, async ({ newsletter }) => {
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

  it("shows pending payouts", async () => {
    await withStore(suite, ({ payouts }) =>
      payouts.open({
        payoutId: "a-payout",
        wallet: accountOf(1).address,
        slug: null,
        status: "pending",
        transactionId: null,
        txHash: null,
        score: 5n,
        amount: 5n * 10n ** 18n,
        createdAtMs: 1_800_000_000_000,
      }),
    );
    expect((await succeed("payouts", "pending")).payouts).to.deep.equal([
      {
        payoutId: "a-payout",
        wallet: accountOf(1).address,
        status: "pending",
        score: "5",
        amount: "5000000000000000000",
        createdAt: "2027-01-15T08:00:00.000Z",
        nonce: null,
        txHash: null,
      },
    ]);
  });

  it("shows every key's address, balance and role, never the key", async () => {
    const { json, out } = await admin("keys", "status");
    expect(json.keys.map(({ duty, hasRole }: { duty: string; hasRole: boolean }) => [duty, hasRole])).to.deep.equal([
      ["identity signer", true],
      ["score signer", true],
      ["NFT signer shellrunners", true],
      ["NFT signer flappybots", true],
      ["operator", true],
    ]);
    expect(BigInt(json.keys.at(-1).balanceWei) > 0n).to.equal(true);
    expect(out).to.not.match(/0x[0-9a-f]{64}/);
    const stranger = `0x${"12".repeat(32)}`;
    const wrong = await run(["keys", "status", "--json"], { ARCADE_SCORE_SIGNER_KEY: stranger });
    expect(wrong.code).to.equal(1);
    expect(wrong.json.keys[1]).to.include({ duty: "score signer", hasRole: false });
    expect(wrong.out + wrong.err).to.not.include("12".repeat(32));
  });

  it("says by its exit code that the chain is away", async () => {
    await cutChain(suite);
    expect((await admin("keys", "status")).code).to.equal(3);
    expect((await admin("voting", "open", "--games", "reef-rally")).code).to.equal(3);
    expect((await admin("voting", "list")).code, "what needs no chain works").to.equal(0);
  });
});
