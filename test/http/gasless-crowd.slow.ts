import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";
import { runProgram } from "../examples/run-program.ts";
import { useTestStack } from "../helpers/suite.ts";
import { connect } from "./support/poor-player.ts";

const AGENTS = 50;

/** An agent's entry in the output of `npm run agent -- --json`. */
interface AgentReport {
  readonly ok: boolean;
  readonly address: `0x${string}`;
  readonly agentId: string;
  readonly games: readonly { readonly sessionId: string; readonly score: number }[];
  readonly snapshots: readonly { readonly mode: string; readonly scoreDelta: number }[];
  readonly payout: { readonly paid: boolean; readonly score?: number };
}

describe(`${AGENTS} agents without ether at once`, () => {
  const stack = useTestStack();

  it("go from an empty wallet to a payout by the agent command, and send nothing", async () => {
    // Real sessions over real sockets in real time, since a higher speed would cost the bots points on a busy machine.
    const { httpUrl, dataDir } = stack;
    const { code, output } = await runProgram(
      process.execPath,
      [
        ...["scripts/run.mjs", "agent", "--gasless", "--agents", String(AGENTS), "--url", httpUrl],
        ...["--game", "flappybots", "--bot", "quick", "--json"],
      ],
      { cwd: root, env: { ARCADE_DATA_DIR: join(dataDir, "authors") } },
    );
    const { agents } = JSON.parse(output.slice(output.indexOf("{"))) as { readonly agents: readonly AgentReport[] };
    expect(new Set(agents.map(({ agentId }) => agentId)).size).to.equal(AGENTS);

    // On a busy machine a bot may lose its lives before its first point, and then there is nothing to pay.
    const withPoints = agents.filter(({ games }) => games[0]!.score > 0);
    expect(withPoints.length, output.slice(-2000)).to.be.at.least(AGENTS / 2);
    if (withPoints.length === AGENTS) expect(code, output.slice(-2000)).to.equal(0);
    const chain = connect(stack);
    for (const { address, games, snapshots, payout } of withPoints) {
      const [played] = games;
      expect(
        snapshots.map(({ mode, scoreDelta }) => ({ mode, scoreDelta })),
        address,
      ).to.deep.equal([{ mode: "recorded", scoreDelta: played!.score }]);
      expect(payout, address).to.include({ paid: true, score: played!.score });
      const [balance, sent] = await Promise.all([
        chain.getBalance({ address }),
        chain.getTransactionCount({ address }),
      ]);
      expect({ balance, sent }, address).to.deep.equal({ balance: 0n, sent: 0 });
    }
  });
});
