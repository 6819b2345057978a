import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { snapshotScore } from "../../client/index.ts";
import { command } from "../../scripts/replay.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent } from "../../testing/player.ts";
import { callCommand } from "../helpers/commands.ts";
import { useTestStack } from "../helpers/suite.ts";

describe("npm run replay with a file", () => {
  const stack = useTestStack();

  const run = (file: string) =>
    callCommand(command, [file, "--rpc", stack.chain.rpcUrl, "--url", stack.httpUrl, "--json"], {
      ARCADE_DATA_DIR: stack.dataDir,
      NO_COLOR: "1",
    });

  it("compares the wallet in the file with that of the session's event on chain", async () => {
    const [player, other] = [await createAgent(stack), await createAgent(stack)];
    const { sessionId, slug } = await addEndedSession(stack, { wallet: player.address, minScore: 50 });
    await snapshotScore({ client: player.client, sessionId });
    const replay = await player.client.sessions.replay({ slug, sessionId });
    const save = async (name: string, content: object): Promise<string> => {
      const file = join(stack.dataDir, name);
      await writeFile(file, JSON.stringify(content));
      return file;
    };
    const own = await run(await save("own.json", replay));
    expect(own.code, own.err).to.equal(0);
    expect(own.json.event.wallet).to.equal(player.address);

    const foreign = await run(await save("foreign.json", { ...replay, wallet: other.address }));
    expect(foreign.code, foreign.out).to.equal(7);
    expect(foreign.json).to.include({ ok: false, verdict: "DIVERGED" });
    expect(foreign.json.event.wallet).to.equal(player.address);
    expect(foreign.json.differences).to.deep.include({
      field: "event.wallet",
      expected: other.address.toLowerCase(),
      received: player.address.toLowerCase(),
    });
  });
});
