import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { command as agent } from "../../scripts/agent.ts";
import { createFastClock } from "../../testing/clock.ts";
import { startLyingProxy } from "../client/lying-proxy.ts";
import { callCommand } from "../helpers/commands.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";

describe("npm run agent", () => {
  let stack: TestStack;
  before(async () => {
    stack = await startTestStack({ clock: createFastClock(4) });
  });
  after(() => stack.close());
  const play = (url: string, ...flags: readonly string[]) =>
    callCommand(agent, ["--game", "flappybots", "--bot", "quick", "--url", url, ...flags], {
      ARCADE_DATA_DIR: stack.dataDir,
    });

  it("prints each step of one agent up to its payout, and a summary", async () => {
    const { code, out, err } = await play(stack.httpUrl);
    expect(code, err).to.equal(0);
    const steps = [...out.matchAll(/^ {2}[✓·] (\S+)/gm)].map(([, step]) => step);
    const played = ["wallet", "sign-in", "gas", "identity", "play", "snapshot", "nft"];
    expect(steps).to.deep.equal([...played, "payout", "cooldown", "payout", "history"]);
    const points = /play +flappybots: (\d+) points, lives lost/.exec(out)?.[1];
    for (const line of [
      `  games       flappybots ${points} (lives lost)`,
      `  snapshots   1 on chain, ${points} points`,
      `  payout      ${points} ARCD received for ${points} points`,
      "  scorebank   0",
      "  history     1 payout",
    ])
      expect(out.split("\n"), out).to.include(line);
  });

  it("tells that a bot has answered few frames, such as one whose promise never settles", async () => {
    const bot = join(stack.dataDir, "waiting.mjs");
    await writeFile(bot, "export const bot = () => new Promise(() => {});\n");
    const { code, out, err } = await play(stack.httpUrl, "--bot", bot);
    expect(code, err).to.equal(0);
    expect(out).to.match(/^ {2}! play +flappybots: \d+ points, [a-z ]+, the bot answered 0 of \d{2,} frames/m);
  });

  it("reports a chain or contracts that it cannot use, and does not sign in", async () => {
    const proxy = await startLyingProxy();
    proxy.forwardTo(stack.httpUrl);
    const host = new URL(stack.chain.rpcUrl).host;
    const file = join(stack.dataDir, "none.json");
    const refused: readonly (readonly [lie: object, flags: readonly string[], exitCode: number, error: string])[] = [
      [{ rpcUrl: null }, [], 2, "The service uses chain 31337 and publishes no node for it."],
      [{}, ["--rpc", "http://127.0.0.1:9"], 3, "The node at http://127.0.0.1:9 does not answer JSON-RPC: "],
      [{ chainId: 84_532 }, [], 3, `The node at ${host} is on chain 31337, the service on 84532.`],
      [{}, ["--deployment", file], 2, `expected the addresses file of chain 31337, received no file (${file}).`],
    ];
    try {
      for (const [lie, flags, exitCode, error] of refused) {
        proxy.lie("/api/agent-instructions", (body) => ({ ...body, ...lie }));
        const { json } = await play(proxy.url, "--json", ...flags);
        expect(json.error).to.include(error);
        expect(json).to.include({ ok: false, exitCode });
      }
    } finally {
      await proxy.close();
    }
  });
});
