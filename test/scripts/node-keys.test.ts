import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { command as admin } from "../../scripts/admin.ts";
import { command as agent } from "../../scripts/agent.ts";
import { command as chain } from "../../scripts/chain.ts";
import type { Command, CommandGroup } from "../../scripts/cli/command.ts";
import { hideNodeKeys } from "../../scripts/cli/node-keys.ts";
import { command as deploy } from "../../scripts/deploy.ts";
import { command as doctor } from "../../scripts/doctor.ts";
import { command as replay } from "../../scripts/replay.ts";
import { callCommand } from "../helpers/commands.ts";
import { createAgent, type Player } from "../helpers/player.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { addEndedSession } from "../http/support/plant-session.ts";

const SECRETS = ["pathsecret1234", "querysecret5678", "usersecret9012"];

describe("the keys of nodes in the output of commands", () => {
  let stack: TestStack;
  let node: Server;
  let player: Player;
  let sessionId: string;

  before(async () => {
    stack = await startTestStack();
    player = await createAgent(stack);
    ({ sessionId } = await addEndedSession(stack, { wallet: player.address }));
    // Refuses every request, and repeats its address as some nodes do.
    node = createServer((request, response) => response.writeHead(401).end(`no access at ${request.url}`));
    await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    node.close();
    await stack.close();
  });

  /** What each command needs besides the node, so that it asks the node. */
  const listRuns = (): readonly {
    readonly name: string;
    readonly command: Command | CommandGroup;
    readonly args: readonly string[];
    readonly flag: string | null;
  }[] => [
    { name: "agent", command: agent, args: ["--url", stack.httpUrl], flag: "--rpc" },
    { name: "chain head", command: chain, args: ["mine", "1"], flag: "--rpc" },
    { name: "replay", command: replay, args: [sessionId, "--url", stack.httpUrl], flag: "--rpc" },
    { name: "deploy", command: deploy, args: ["--network", "local", "--yes"], flag: "--rpc-url" },
    { name: "doctor", command: doctor, args: ["--network", "local"], flag: null },
    { name: "admin chain show", command: admin, args: ["chain", "show"], flag: null },
  ];

  const getUrl = (port: number): string =>
    `http://usersecret9012:x@127.0.0.1:${port}/v2/pathsecret1234?key=querysecret5678`;

  for (const isAway of [true, false]) {
    it(`are hidden where the node ${isAway ? "is away" : "refuses every request"}`, async () => {
      const url = getUrl(isAway ? 9 : (node.address() as AddressInfo).port);
      for (const { name, command, args, flag } of listRuns()) {
        for (const json of [[], ["--json"]]) {
          const rpc = flag === null ? [] : [flag, url];
          const env = { ARCADE_RPC_URL: url, ARCADE_DATA_DIR: stack.dataDir, ARCADE_DEBUG: "1" };
          const { code, out, err } = await callCommand(command, [...args, ...rpc, ...json], env);
          expect(code, `${name}: ${out}${err}`).to.not.equal(0);
          for (const secret of SECRETS) expect(`${out}${err}`, `${name} ${json.join("")}`).to.not.include(secret);
        }
      }
    });
  }

  it("hides path, query and user, and leaves the host", () => {
    const url = getUrl(8545);
    const shown = hideNodeKeys(`No chain answers at ${url}; key querysecret5678 at 127.0.0.1:8545.`, [url]);
    for (const secret of SECRETS) expect(shown).to.not.include(secret);
    expect(shown).to.include("127.0.0.1:8545");
    expect(hideNodeKeys("http://127.0.0.1:8545 is away", ["http://127.0.0.1:8545"])).to.equal(
      "http://127.0.0.1:8545 is away",
    );
  });
});
