import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { createClient, snapshotScore } from "../../client/index.ts";
import { createTranscript } from "../../domain/replay/transcript.ts";
import { exportReplays } from "../../scripts/replay/export.ts";
import { command as replayCommand } from "../../scripts/replay.ts";
import { command } from "../../scripts/verify.ts";
import { startChaosNode } from "../../testing/chaos/node.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent, type Player } from "../../testing/player.ts";
import { callCommand } from "../helpers/commands.ts";
import { ANSWERED_UNTIL_STOP, startLimitedNode } from "../helpers/limited-node.ts";
import { useTestStack } from "../helpers/suite.ts";
import { setMaxScore } from "../http/support/on-chain.ts";

const OTHER_WALLET = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const OTHER_SESSION = "0190f1d5-7c4e-7abc-8def-0123456789ab";

describe("npm run verify", () => {
  let agents: readonly [Player, Player];
  let rows: readonly SessionRow[];
  let folder: string;
  let index: { readonly [gameSessionHash: string]: string };

  async function snapshot(player: Player, slug: string, minScore: number): Promise<SessionRow> {
    const row = await addEndedSession(stack, { wallet: player.address, slug, minScore });
    await snapshotScore({ client: player.client, sessionId: row.sessionId });
    return row;
  }
  const stack = useTestStack();
  before(async () => {
    agents = [await createAgent(stack, "Pinch"), await createAgent(stack, "Snap")];
    rows = [await snapshot(agents[0], "shellrunners", 50), await snapshot(agents[1], "flappybots", 20)];
    await setMaxScore(stack, 5n);
    rows = [...rows, await snapshot(agents[0], "flappybots", 20)];
    await setMaxScore(stack, 10_000_000n);
    // Scores above the limit per session are verified in full, however much the scorebank got.
    expect(await agents[0].client.rewards.scorebank({})).to.include({ score: rows[0]!.score + 5 });
    const signed = { slug: rows[2]!.slug, sessionId: rows[2]!.sessionId };
    const played = await agents[0].client.sessions.replay(signed);
    const signature = await agents[0].wallet.signTypedData!(createTranscript(played));
    await agents[0].client.sessions.transcript({ ...signed, signature });
    folder = join(stack.dataDir, "replays");
    const exported = await replay("export", "--to", folder, "--url", stack.httpUrl);
    expect(exported.json, exported.err).to.include({ ok: true, written: 3, kept: 0 });
    index = JSON.parse(await readFile(join(folder, "index.json"), "utf8"));
  });

  const env = () => ({ ARCADE_DATA_DIR: stack.dataDir, NO_COLOR: "1" });
  const replay = (...args: readonly string[]) => callCommand(replayCommand, [...args, "--json"], env());
  const verify = (replays: string, ...args: readonly string[]) =>
    callCommand(
      command,
      [
        ...["--rpc", stack.chain.rpcUrl, "--rewards", stack.deployment.rewards],
        ...["--replays", replays, ...args, "--json"],
      ],
      env(),
    );
  const fileOf = (row: SessionRow): string => `${index[row.gameSessionHash!]}.json`;

  /** A copy of the exported replays in which one file is changed. */
  async function copyWith(name: string, row: SessionRow, change: (text: string) => string): Promise<string> {
    const copy = join(stack.dataDir, name);
    await cp(folder, copy, { recursive: true });
    await writeFile(join(copy, fileOf(row)), change(await readFile(join(folder, fileOf(row)), "utf8")));
    return copy;
  }
  const changeFields = (fields: object) => (text: string) => JSON.stringify({ ...JSON.parse(text), ...fields });

  it("exports every replay under its digest, once", async () => {
    expect((await readdir(folder)).sort()).to.deep.equal([...rows.map(fileOf), "index.json"].sort());
    for (const name of rows.map(fileOf)) {
      const digest = createHash("sha256")
        .update(await readFile(join(folder, name)))
        .digest("hex");
      expect(name).to.equal(`${digest}.json`);
    }
    const again = await replay("export", "--to", folder, "--url", stack.httpUrl);
    expect(again.json).to.include({ written: 0, kept: 3 });
  });

  it("keeps an index.json of another program", async () => {
    const target = join(stack.dataDir, "of-another");
    await mkdir(target);
    for (const text of ["{", "null", '{"name":"site"}']) {
      await writeFile(join(target, "index.json"), text);
      const { code, err } = await replay("export", "--to", target, "--url", stack.httpUrl);
      expect(code, err).to.equal(1);
      expect(err).to.include("index.json is not the index of an export").and.include("--to");
      expect(await readFile(join(target, "index.json"), "utf8")).to.equal(text);
    }
  });

  it("does not report a score as missing by a node of another chain", async () => {
    const node = await startChaosNode({ to: stack.chain.rpcUrl });
    node.fail("another chain");
    node.intercept(({ method }, answer) => (method === "eth_getLogs" ? { ...answer, result: [] } : answer));
    try {
      const { code, err } = await replay(join(folder, fileOf(rows[0]!)), "--rpc", node.url);
      expect(code, err).to.equal(3);
      expect(err).to.match(/The node is on chain \d+, the replay is of chain 31337\./);
    } finally {
      await node.close();
    }
  });

  it("continues after an export that failed", async () => {
    const target = join(stack.dataDir, "interrupted");
    let replays = 0;
    const client = createClient({
      baseUrl: stack.httpUrl,
      retry: { retries: 0 },
      fetch: async (input, init) => {
        if (String(input).includes("/api/replays/")) replays += 1;
        if (replays === 2) throw new TypeError("the connection is cut");
        return await fetch(input, init);
      },
    });
    const failure = await exportReplays(client, target).catch((error: unknown) => error);
    expect(String(failure)).to.include("the connection is cut");
    const again = await replay("export", "--to", target, "--url", stack.httpUrl);
    expect(again.json).to.include({ written: 2, kept: 1 });
  });

  it("reproduces every score on chain from files and from an address, attested if its wallet signed", async () => {
    for (const replays of [folder, `${stack.httpUrl}/api/replays`]) {
      const { code, json, err } = await verify(replays);
      expect(code, err).to.equal(0);
      expect(json.counts).to.deep.equal({ REPRODUCED: 2, SIGNED_BY_PLAYER: 1, DIVERGED: 0, CANNOT_RECOMPUTE: 0 });
      expect(json.scores.map(({ event }: { event: { score: string } }) => Number(event.score))).to.have.members(
        rows.map(({ score }) => score),
      );
    }
  });

  it("selects scores by agent, wallet and block", async () => {
    const { json } = await verify(folder);
    const { block } = json.scores[1].event;
    const count = async (...args: readonly string[]) => (await verify(folder, ...args)).json.scores.length;
    expect(await count("--wallet", agents[0].address)).to.equal(2);
    expect(await count("--agent", rows[1]!.agentId!)).to.equal(1);
    expect(await count("--from", String(block), "--to", String(block))).to.equal(1);
  });

  it("reports for a score without a replay that it cannot be derived", async () => {
    const copy = join(stack.dataDir, "missing");
    await cp(folder, copy, { recursive: true });
    await rm(join(copy, fileOf(rows[1]!)));
    const { code, json } = await verify(copy);
    expect(code).to.equal(6);
    expect(json.counts).to.deep.equal({ REPRODUCED: 1, SIGNED_BY_PLAYER: 1, DIVERGED: 0, CANNOT_RECOMPUTE: 1 });
    const score = json.scores.find(({ verdict }: { verdict: string }) => verdict === "CANNOT_RECOMPUTE");
    expect(score.event.gameSessionHash).to.equal(rows[1]!.gameSessionHash);
    expect(score.reason).to.include("no replay");
  });

  const changes: readonly (readonly [string, object])[] = [
    ["wallet", { wallet: OTHER_WALLET }],
    ["sequence", { sequence: "9" }],
    ["chainId", { chainId: 1 }],
    ["rewards", { rewards: OTHER_WALLET }],
    ["sessionId", {}],
    ["finalScore", { finalScore: 99_999 }],
    ["endReason", { endReason: "max_duration" }],
    ["inputs", { inputs: [[1, 1]] }],
  ];
  for (const [field, given] of changes) {
    it(`reports ${field} when a file differs in it, and never reports agreement`, async () => {
      const row = rows[0]!;
      const { sessionId } = row;
      const last = sessionId.endsWith("0") ? "1" : "0";
      const fields = field === "sessionId" ? { sessionId: sessionId.slice(0, -1) + last } : given;
      const copy = await copyWith(`changed-${field}`, row, changeFields(fields));
      const { code, json, err } = await verify(copy);
      expect(code, err).to.equal(5);
      expect(json.counts).to.deep.equal({ REPRODUCED: 1, SIGNED_BY_PLAYER: 1, DIVERGED: 1, CANNOT_RECOMPUTE: 0 });
      const score = json.scores.find(({ verdict }: { verdict: string }) => verdict === "DIVERGED");
      expect(score.differences[0].field).to.match(new RegExp(`^${field}`));

      const file = join(copy, fileOf(row));
      const single = await replay(file, "--rpc", stack.chain.rpcUrl, "--url", stack.httpUrl);
      expect(single.code, single.err).to.equal(7);
      expect(single.out + single.err).to.not.include("agree");
    });
  }

  it("reports the wallet of a score that stands on chain for another one", async () => {
    const file = join(await copyWith("foreign", rows[0]!, changeFields({ wallet: OTHER_WALLET })), fileOf(rows[0]!));
    const { code, json } = await replay(file, "--rpc", stack.chain.rpcUrl, "--url", stack.httpUrl);
    expect(code).to.equal(7);
    expect(json).to.include({ ok: false, verdict: "DIVERGED" });
    expect(json.differences[0]).to.deep.equal({
      field: "wallet",
      expected: agents[0].address,
      received: OTHER_WALLET,
    });
  });

  it("distinguishes a run that was never put on chain from one that was", async () => {
    const own = await replay(join(folder, fileOf(rows[0]!)), "--rpc", stack.chain.rpcUrl, "--url", stack.httpUrl);
    expect(own.code, own.err).to.equal(0);
    expect(own.json.conclusion).to.include("REPRODUCED");
    const invented = join(stack.dataDir, "invented");
    await mkdir(invented);
    const text = await readFile(join(folder, fileOf(rows[0]!)), "utf8");
    const file = join(invented, "run.json");
    await writeFile(file, changeFields({ sessionId: OTHER_SESSION, sequence: "77" })(text));
    const { code, out, err, json } = await replay(file, "--rpc", stack.chain.rpcUrl, "--url", stack.httpUrl);
    expect(code, err).to.equal(7);
    expect(json).to.include({ ok: false, event: null });
    expect(json.conclusion).to.include("NOT ON CHAIN");
    expect(out + err).to.not.include("agree");
  });

  it("reports that a session without rewards is not on chain", async () => {
    const folderOfOne = join(stack.dataDir, "practice");
    await mkdir(folderOfOne);
    const file = join(folderOfOne, "run.json");
    await writeFile(file, changeFields({ sequence: "0" })(await readFile(join(folder, fileOf(rows[0]!)), "utf8")));
    const { code, err, json } = await replay(file, "--rpc", stack.chain.rpcUrl, "--url", stack.httpUrl);
    expect(code, err).to.equal(7);
    expect(json).to.include({ ok: false, event: null });
    expect(json.conclusion).to.include("NOT ON CHAIN");
    const offline = await replay(file, "--offline", "--url", stack.httpUrl);
    expect(offline.code, offline.err).to.equal(0);
    expect(offline.json.conclusion).to.include("the chain was not compared");
  });

  it("reports a node that has no chain id yet", async () => {
    const node = await startChaosNode({ to: stack.chain.rpcUrl });
    node.intercept(({ method }, answer) => (method === "eth_chainId" ? { ...answer, result: null } : answer));
    const { code, err } = await verify(folder, "--rpc", node.url).finally(() => node.close());
    expect(code, err).to.equal(3);
    expect(err).to.include("The chain's node returned no chain id: ").and.include("check --rpc");
  });

  it("and npm run replay report a node that stops answering, without its key and without an unrelated step", async () => {
    for (const answered of ANSWERED_UNTIL_STOP) {
      const node = await startLimitedNode(answered);
      const rpc = `${node.url}/v3/secret-key`;
      for (const run of [
        () => verify(folder, "--rpc", rpc),
        () => verify(folder, "--rpc", rpc, "--agent", "1"),
        () => replay(join(folder, fileOf(rows[0]!)), "--rpc", rpc, "--url", stack.httpUrl),
      ]) {
        const { code, err } = await run();
        expect(err, answered.join()).to.include(`The node at ${node.url} does not answer JSON-RPC: HTTP 429\n`);
        expect(err).to.include("next: the node limits requests: wait, or use another one (--rpc or ARCADE_RPC_URL)");
        expect(err).to.not.match(/secret|gas/);
        expect(code).to.equal(3);
      }
      node.close();
    }
  });

  it("repeats the sentence of a node that refuses to search so many blocks", async () => {
    const node = await startChaosNode({ to: stack.chain.rpcUrl });
    const error = { code: -32005, message: "the block range is too large" };
    node.intercept(({ method, id }, answer) => (method === "eth_getLogs" ? { jsonrpc: "2.0", id, error } : answer));
    const { code, err } = await verify(folder, "--rpc", node.url).finally(() => node.close());
    expect(code, err).to.equal(3);
    expect(err).to.include("The chain could not be read: ").and.include(error.message).and.include("--rpc");
  });

  it("rejects the address of another contract, which has no scores", async () => {
    for (const other of [stack.deployment.token, stack.deployment.identity]) {
      const { code, err } = await verify(folder, "--rewards", other);
      expect(code, err).to.equal(3);
      expect(err).to.include(`The contract at ${other} is not the rewards contract.`).and.include("check --rewards");
    }
  });

  it("mentions where a service has its replays if its own address is given", async () => {
    const { code, err } = await verify(stack.httpUrl);
    expect(code, err).to.equal(6);
    expect(err).to.include("a service has its replays below /api/replays");
  });

  it("exports into no folder that cannot be created", async () => {
    const { code, err } = await replay("export", "--to", "/proc/replays", "--url", stack.httpUrl);
    expect(code, err).to.equal(2);
    expect(err).to.include("--to: expected a folder that can be written to, received /proc/replays");
  });

  it("rejects arguments without a chain, contract or folder", async () => {
    expect((await callCommand(command, ["--rpc", stack.chain.rpcUrl], env())).code).to.equal(2);
    expect((await verify(folder, "--agent", "1", "--wallet", OTHER_WALLET)).code).to.equal(2);
    expect((await verify(folder, "--from", "now")).code).to.equal(2);
    expect((await verify(folder, "--agent", "999")).code).to.equal(3);
    expect((await verify(join(folder, "none"))).code).to.equal(1);
    const noContract = ["--rpc", stack.chain.rpcUrl, "--rewards", OTHER_WALLET, "--replays", folder];
    expect((await callCommand(command, noContract, env())).code).to.equal(3);
  });
});
