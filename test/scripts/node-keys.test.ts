import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { command as admin } from "../../scripts/admin.ts";
import { command as agent } from "../../scripts/agent.ts";
import { command as chain } from "../../scripts/chain.ts";
import type { Command, CommandGroup } from "../../scripts/cli/command.ts";
import { UsageError } from "../../scripts/cli/failures.ts";
import { findGivenNode } from "../../scripts/cli/node.ts";
import { hideNodeKeys, listNodeUrls } from "../../scripts/cli/node-keys.ts";
import { command as deploy } from "../../scripts/deploy.ts";
import { command as doctor } from "../../scripts/doctor.ts";
import { command as load } from "../../scripts/load.ts";
import { command as replay } from "../../scripts/replay.ts";
import { command as verify } from "../../scripts/verify.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent, type Player } from "../../testing/player.ts";
import { callCommand } from "../helpers/commands.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";

const SECRETS = ["pathsecret1234", "querysecret5678", "usersecret9012"];

describe("the keys of nodes in the output of commands", () => {
  let stack: TestStack;
  let node: Server;
  let player: Player;
  let sessionId: string;
  let requests = 0;

  before(async () => {
    stack = await startTestStack();
    player = await createAgent(stack);
    ({ sessionId } = await addEndedSession(stack, { wallet: player.address }));
    // Rejects every request and repeats its address, like some nodes.
    node = createServer((request, response) => {
      requests++;
      response.writeHead(401).end(`no access at ${request.url}`);
    });
    await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    node.close();
    await stack.close();
  });

  /** What each command needs besides the node before it calls the node. */
  const listRuns = (): readonly {
    readonly name: string;
    readonly command: Command | CommandGroup;
    readonly args: readonly string[];
  }[] => [
    { name: "agent", command: agent, args: ["--url", stack.httpUrl] },
    { name: "chain head", command: chain, args: ["mine", "1"] },
    { name: "replay", command: replay, args: [sessionId, "--url", stack.httpUrl] },
    { name: "deploy", command: deploy, args: ["--network", "local", "--yes"] },
    { name: "verify", command: verify, args: ["--rewards", stack.deployment.rewards, "--replays", stack.dataDir] },
    { name: "load", command: load, args: ["--url", stack.httpUrl, "--ranked", "--agents", "1"] },
    { name: "admin keys status", command: admin, args: ["keys", "status"] },
    { name: "doctor", command: doctor, args: ["--network", "local"] },
    { name: "admin chain pause", command: admin, args: ["chain", "pause", "--plan"] },
  ];

  const getUrl = (port: number): string =>
    `http://usersecret9012:x@127.0.0.1:${port}/v2/pathsecret1234?key=querysecret5678`;

  for (const isAway of [true, false]) {
    it(`are hidden when the node ${isAway ? "is away" : "refuses every request"}`, async () => {
      const url = getUrl(isAway ? 9 : (node.address() as AddressInfo).port);
      // `--rpc` overrides the setting, which here has an unreachable node.
      const ways = [
        { flags: ["--rpc", url], ARCADE_RPC_URL: getUrl(9) },
        { flags: [], ARCADE_RPC_URL: url },
      ];
      for (const { name, command, args } of listRuns()) {
        for (const { flags, ARCADE_RPC_URL } of ways) {
          const json = flags.length === 0 ? ["--json"] : [];
          const env = { ARCADE_RPC_URL, ARCADE_DATA_DIR: stack.dataDir, ARCADE_DEBUG: "1" };
          requests = 0;
          const { code, out, err } = await callCommand(command, [...args, ...flags, ...json], env);
          expect(code, `${name}: ${out}${err}`).to.not.equal(0);
          if (!isAway) expect(requests, `${name} ${flags.join(" ")}: ${err}`).to.be.greaterThan(0);
          for (const secret of SECRETS) expect(`${out}${err}`, `${name} ${flags.join(" ")}`).to.not.include(secret);
        }
      }
    });
  }

  it("are not repeated from an address without a scheme", () => {
    const ARCADE_RPC_URL = "node.example/v2/pathsecret1234";
    expect(() => findGivenNode({}, { ARCADE_RPC_URL }))
      .to.throw(UsageError, "ARCADE_RPC_URL: expected an http(s) address")
      .with.property("message")
      .not.include("secret");
    expect(() => findGivenNode({ rpc: ARCADE_RPC_URL }))
      .to.throw(UsageError, "--rpc: expected an http(s) address")
      .with.property("message")
      .not.include("secret");
  });

  it("are hidden, and used, when the setting is a file", () => {
    const folder = mkdtempSync(join(tmpdir(), "arcade-node-"));
    const path = join(folder, "nodes");
    writeFileSync(path, `${getUrl(8545)}, ${getUrl(8546)}\n`);
    const environment = { ARCADE_RPC_URL: `@${path}` };
    expect(findGivenNode({}, environment)).to.equal(getUrl(8545));
    expect(listNodeUrls([], environment)).to.deep.equal([getUrl(8545), getUrl(8546)]);
    rmSync(folder, { recursive: true });
    expect(() => findGivenNode({}, environment)).to.throw(
      UsageError,
      "ARCADE_RPC_URL: the file after @ does not exist",
    );
    expect(listNodeUrls([], environment)).to.deep.equal([]);
  });

  it("hides path, query and user, but not the host", () => {
    const url = getUrl(8545);
    const shown = hideNodeKeys(`No chain answers at ${url}; key querysecret5678 at 127.0.0.1:8545.`, [url]);
    for (const secret of SECRETS) expect(shown).to.not.include(secret);
    expect(shown).to.include("127.0.0.1:8545");
    expect(hideNodeKeys("http://127.0.0.1:8545 is away", ["http://127.0.0.1:8545"])).to.equal(
      "http://127.0.0.1:8545 is away",
    );
  });
});
