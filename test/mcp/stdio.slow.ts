import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { generatePrivateKey } from "viem/accounts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { createStdioMcpClient, playUntilPoints } from "./mcp-client.ts";
import { FLAPPY_POLICY } from "./policies.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("the server of the model context protocol on stdio", () => {
  let stack: TestStack;
  let server: ChildProcess;
  before(async () => {
    stack = await startTestStack();
    server = spawn(process.execPath, ["scripts/run.mjs", "mcp", "--url", stack.httpUrl], {
      cwd: root,
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ARCADE_AGENT_KEY: generatePrivateKey() },
    });
  });
  after(async () => {
    server.stdin!.end();
    if (server.exitCode === null) await once(server, "exit");
    await stack.close();
  });

  it("does each step with its wallet: from an empty one to a payout in at most 13 calls", async () => {
    const mcp = await createStdioMcpClient(server);
    const call = async (name: string, input: object) => {
      const { isError, body } = await mcp.call(name, input);
      expect(isError, `${name}: ${JSON.stringify(body).slice(0, 400)}`).to.equal(false);
      return body;
    };
    const { result } = await mcp.request("tools/list");
    const names = (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
    expect(names).to.include.members(["register", "snapshot", "mint", "payout", "vote"]);
    expect(names).to.not.include("sign_in");
    const nulls = await mcp.request("tools/call", { name: "list_games", arguments: null });
    expect(nulls).to.have.nested.property("result.isError", false);

    const { agentId, wallet } = await call("register", { agentName: "Stdio" });
    expect(Number(agentId)).to.be.above(0);
    const again = await call("register", { agentName: "Other" });
    expect(again).to.include({ agentId, wallet, txHash: null });
    expect(again.note).to.include(`held agent ${agentId} before, so "Other" is not its name`);
    const slug = "flappybots";
    const { played, extraCalls } = await playUntilPoints(mcp, async () => {
      let view = await call("play", { slug, policy: FLAPPY_POLICY, leaveAtScore: 5 });
      while (view.next === "watch") view = await call("watch", { slug, sessionId: view.sessionId });
      return view;
    });
    expect(played).to.include({ next: "snapshot", verdict: "SIGNED_BY_PLAYER" });
    expect((await call("snapshot", {})).scoreDelta).to.equal(played.score);
    const { payout } = await call("payout", {});
    expect(payout).to.include({ status: "included", score: played.score });
    expect((await call("profile", { walletAddress: wallet })).profile).to.equal(null);
    expect(mcp.calls - extraCalls).to.be.at.most(13);
  });
});
