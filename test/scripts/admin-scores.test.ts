import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { generatePrivateKey } from "viem/accounts";
import { command } from "../../scripts/admin.ts";
import { addEndedSession, withStore } from "../../testing/ended-session.ts";
import { createAgent, type Player } from "../../testing/player.ts";
import { type CommandResult, callCommand } from "../helpers/commands.ts";
import { useShared } from "../helpers/fixture.ts";
import { useTestStack } from "../helpers/suite.ts";
import { forgeSnapshot, movePoints, sendWithFixedGas } from "../http/support/on-chain.ts";

describe("the operator's commands for a score with an issued signature", () => {
  const stack = useTestStack();
  const agent = useShared(() => createAgent(stack));

  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CommandResult> =>
    callCommand(command, args, {
      ARCADE_DATA_DIR: stack.dataDir,
      ARCADE_RPC_URL: stack.chain.rpcUrl,
      NO_COLOR: "1",
      ...env,
    });
  async function succeed(...args: string[]): Promise<CommandResult["json"]> {
    const result = await run([...args, "--json"]);
    expect(result.code, result.err).to.equal(0);
    return result.json;
  }
  const audit = async (subject: string) => (await succeed("audit", "list", "--subject", subject)).audit;

  const TAKE_BACK = [
    ["withhold", "withheld"],
    ["forfeit", "forfeited"],
  ] as const;

  /** A new player's session with a signed snapshot. `call`: the player's call. */
  async function addSignedSession() {
    const player = await createAgent(stack);
    const row = await addEndedSession(stack, { wallet: player.address, minScore: 50 });
    const { body } = await stack.request("POST", "/api/rewards/snapshot", {
      token: await player.getAccessToken(),
      body: { sessionId: row.sessionId },
    });
    expect(body.mode, JSON.stringify(body)).to.equal("sign");
    return { player, row, call: body.call, deadline: Number(body.deadline) };
  }
  const getScorebank = async (player: Player): Promise<number> => (await player.client.rewards.scorebank({})).score;

  it("forged finds the points without a session, less those voided since", async () => {
    const [player, thief] = [await createAgent(stack), await createAgent(stack)];
    const since = String(Number(await stack.chain.request("eth_blockNumber", [])));
    const { sessionId } = await addEndedSession(stack, { wallet: player.address, minScore: 50 });
    const token = await player.getAccessToken();
    const signed = await stack.request("POST", "/api/rewards/snapshot", { token, body: { sessionId } });
    await sendWithFixedGas(stack, stack.accounts[3]!.privateKey, signed.body.call);
    await forgeSnapshot(stack, player.address, 900n, 700n);
    await forgeSnapshot(stack, thief.address, 1n, 5_000n);
    await getScorebank(thief);
    const out = join(stack.dataDir, "forged.txt");
    const { forged } = await succeed("forged", "--since", since, "--out", out);
    expect(forged).to.have.deep.members([
      { wallet: player.address, points: "700" },
      { wallet: thief.address, points: "5000" },
    ]);
    expect(readFileSync(out, "utf8").trim().split("\n").sort()).to.deep.equal(
      [`${player.address}:700`, `${thief.address}:5000`].sort(),
    );
    await movePoints(stack, "voidPoints", thief.address, 5_000n);
    await movePoints(stack, "voidPoints", player.address, 650n);
    await getScorebank(thief);
    const rest = await succeed("forged", "--since", since);
    expect(rest.forged).to.deep.equal([{ wallet: player.address, points: "50" }]);
    expect((await run(["forged"])).code).to.equal(2);
  });

  for (const [verb, outcome] of TAKE_BACK) {
    it(`sessions ${verb} cancels the signature on chain, so that the score never counts`, async () => {
      const { player, row, call } = await addSignedSession();
      const result = await succeed("sessions", verb, row.sessionId, "--reason", "by hand");
      expect(result).to.include({ outcome });
      expect(result.signature).to.include({ state: "cancelled" });
      expect(result.signature.txHash).to.match(/^0x[0-9a-f]{64}$/);
      await sendWithFixedGas(stack, stack.accounts[3]!.privateKey, call);
      expect(await getScorebank(player)).to.equal(0);
      const again = await succeed("sessions", verb, row.sessionId, "--reason", "by hand");
      expect(again).to.deep.include({ outcome: "unchanged", signature: { state: "consumed" } });
      expect((await audit(row.sessionId))[0]).to.include({ action: `sessions.${verb}` });
    });

    it(`sessions ${verb} reports exactly what is left to do without the guardian's key`, async () => {
      const { row, deadline } = await addSignedSession();
      const until = new Date(deadline * 1000).toISOString();
      const env = { ARCADE_GUARDIAN_KEY: generatePrivateKey() };
      const args = ["sessions", verb, row.sessionId, "--reason", "by hand"];
      const shown = await run(args, env);
      expect(shown.code, shown.err).to.equal(0);
      for (const text of [stack.deployment.rewards, `cancelSessions([(${row.wallet}, ${row.gameSessionHash})])`, until])
        expect(shown.out).to.include(text);
      const { signature } = (await run([...args, "--json"], env)).json;
      expect(signature).to.deep.nested.include({
        state: "valid",
        "remaining.chainId": 31_337,
        "remaining.contract": stack.deployment.rewards,
        "remaining.function": "cancelSessions",
        "remaining.args": [[{ wallet: row.wallet, gameSessionHash: row.gameSessionHash }]],
        "remaining.until": until,
      });
      const completed = await succeed(...args);
      expect(completed.signature).to.include({ state: "cancelled" });
    });

    it(`sessions ${verb} does not change an expired signature or an unsigned score`, async () => {
      for (const [signedUntilSeconds, state] of [
        [1, "expired"],
        [null, "never_signed"],
      ] as const) {
        const { sessionId } = await addEndedSession(stack, { wallet: agent.address, minScore: 50 });
        await withStore(stack, async ({ sessions }) => {
          await sessions.setVerification(sessionId, "verified");
          if (signedUntilSeconds !== null) await sessions.markPrepared(sessionId, { atMs: 1, signedUntilSeconds });
        });
        const { signature } = await succeed("sessions", verb, sessionId, "--reason", "by hand");
        expect(signature).to.deep.equal({ state });
      }
    });
  }
});
