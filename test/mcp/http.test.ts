import { expect } from "chai";
import { createPublicClient, createWalletClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { createAgent } from "../../testing/player.ts";
import { useTestStack } from "../helpers/suite.ts";
import { createHttpMcpClient, createListedCaller, playUntilPoints, postMcp } from "./mcp-client.ts";
import { FLAPPY_POLICY } from "./policies.ts";

const LEAVE_AT_SCORE = 5;
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
const NAMED = [
  ...["list_games", "describe_game", "simulate", "play", "watch", "attest", "snapshot", "mint", "payout", "verify"],
  ...["profile", "vote", "league_submit", "league_course", "league_decide"],
];

describe("the server of the model context protocol at /mcp", () => {
  const stack = useTestStack();

  it("lists the tools with their input schemas", async () => {
    const { result } = await createHttpMcpClient(stack.httpUrl).request("tools/list");
    const { tools } = result as { tools: { name: string; title: string; [schema: string]: unknown }[] };
    expect(tools.map(({ name }) => name)).to.include.members(NAMED);
    for (const { name, title, inputSchema, outputSchema } of tools) {
      expect(title, name).to.match(/^[A-Z][a-z ]+$/);
      for (const schema of [inputSchema, outputSchema]) {
        expect(schema, name).to.include({ type: "object" });
        // Keywords that differ between dialects, or that a model's service rejects.
        expect(JSON.stringify(schema), name).to.not.match(/"(?:\$schema|\$ref|\$defs|const|format|examples)":/);
        expect(schema, name).to.not.have.any.keys("anyOf", "oneOf", "allOf");
      }
    }
  });

  it("takes a wallet from nothing to a paid agent with a signed run in at most 14 calls", async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const transport = http(stack.chain.rpcUrl);
    const wallet = createWalletClient({ account, chain: hardhat, transport });
    const chain = createPublicClient({ chain: hardhat, transport, pollingInterval: 20 });
    let token: string | null = null;
    const mcp = createHttpMcpClient(stack.httpUrl, () => token);
    const { address } = account;
    const facts: { [name: string]: unknown } = { walletAddress: address, address, agentName: "Scripted" };
    const call = await createListedCaller(mcp, facts);
    const sendCall = async ({ to, data }: { to: `0x${string}`; data: `0x${string}` }) => {
      const hash = await wallet.sendTransaction({ to, data });
      await chain.waitForTransactionReceipt({ hash });
      return hash;
    };

    const isFlappybots = ({ slug }: { slug: string }) => slug === "flappybots";
    facts.slug = (await call("list_games")).games.find(isFlappybots).slug;
    const { policy } = await call("describe_game");
    expect(policy.moves).to.deep.include({ t: "action", action: "FLAP" });
    Object.assign(facts, { policy: FLAPPY_POLICY, seeds: 20, maxSeconds: 30, leaveAtScore: LEAVE_AT_SCORE });
    expect((await call("simulate")).meanPoints).to.be.above(20);

    const { txHash } = await call("faucet");
    await chain.waitForTransactionReceipt({ hash: txHash });
    await sendCall((await call("register")).call);
    const { message } = await call("sign_in");
    Object.assign(facts, { message, signature: await account.signMessage({ message }) });
    token = (await call("sign_in")).accessToken;

    const { played, extraCalls } = await playUntilPoints(mcp, async () => {
      let view = await call("play");
      facts.sessionId = view.sessionId;
      while (view.next === "watch") view = await call("watch");
      return view;
    });
    // On a busy machine the policy's moves are late, and it may lose its lives earlier.
    const endReason = played.score < LEAVE_AT_SCORE ? "lives_lost" : "ended_by_player";
    expect(played).to.include({ phase: "ended", endReason, next: "snapshot", error: null });
    facts.signature = undefined;
    const { verdict, typedData } = await call("attest");
    expect(verdict).to.equal("REPRODUCED");
    facts.signature = await account.signTypedData(typedData);
    expect(await call("attest")).to.include({ signed: true });
    facts.txHash = await sendCall((await call("snapshot")).call);
    expect(await call("snapshot")).to.include({ mode: "recorded" });
    const paid = await call("payout");
    expect(Number(paid.amount)).to.be.above(0);
    expect(mcp.calls - extraCalls).to.be.at.most(14);

    facts.slug = undefined;
    expect(await call("verify")).to.deep.include({ ok: true, verdict: "SIGNED_BY_PLAYER" });
  });

  it("lets a policy practice without a wallet, and reports the position of its error", async () => {
    const mcp = createHttpMcpClient(stack.httpUrl);
    const policy = '(frame) => {\n  if (frame.tick > 3) throw new Error("lost");\n  return null;\n}';
    const { body } = await mcp.call("play", { slug: "flappybots", policy, practice: true });
    expect(body).to.include({ phase: "ended", source: "browser_ws" });
    expect(body.error).to.include({ code: "POLICY_FAILED" });
    expect(body.error.error).to.match(/in line 2, column \d+ at tick \d+: lost/);
    const watched = { slug: "flappybots", sessionId: body.sessionId };
    expect((await mcp.call("watch", watched)).body).to.deep.equal(body);
    // A signed-in player is a different caller than one without a token.
    const agent = await createAgent(stack);
    const token = await agent.getAccessToken();
    const other = await createHttpMcpClient(stack.httpUrl, () => token).call("watch", watched);
    expect(other.body).to.deep.equal({ ...body, error: null });
  });

  it("answers with an error code: no token, an unknown game, an invalid policy, an input of another form", async () => {
    const mcp = createHttpMcpClient(stack.httpUrl);
    const cases: readonly (readonly [string, object, string | undefined])[] = [
      ["snapshot", {}, "TOKEN_REQUIRED"],
      ["play", { slug: "flappybots", policy: "() => null" }, "TOKEN_REQUIRED"],
      ["league_submit", { slug: "flappybots", policy: "() => null" }, "TOKEN_REQUIRED"],
      ["describe_game", { slug: "chess" }, "GAME_NOT_FOUND"],
      ["simulate", { slug: "chess", policy: "() => null" }, "GAME_NOT_FOUND"],
      ["simulate", { slug: "flappybots", policy: "(" }, "POLICY_INVALID"],
      ["simulate", { slug: "flappybots", policy: "() => 'x'.repeat(300)", seeds: 1 }, "POLICY_FAILED"],
    ];
    for (const [name, input, code] of cases) {
      const { isError, body } = await mcp.call(name, input);
      expect(isError, name).to.equal(true);
      expect(body.code, `${name} ${JSON.stringify(body)}`).to.equal(code);
    }
    for (const [input, code, path] of [
      [{ slug: "flappybots", policy: "() => null", seeds: 1e9 }, "VALIDATION_FAILED", "seeds"],
      [{ slug: true }, "VALIDATION_FAILED", "slug"],
      [{ slug: "flappybots", policy: "x", more: 1 }, "UNKNOWN_FIELD", ""],
    ] as const) {
      const { isError, body } = await mcp.call("simulate", input);
      expect(isError, JSON.stringify(input)).to.equal(true);
      expect(body).to.include({ ok: false, code, retryable: false });
      expect(body.issues[0].path).to.equal(path);
      // A model cannot request the list of tools.
      expect(body.error).to.match(/\. It takes slug, policy, .*seeds/);
    }
  });

  it("accepts a former spelling of a game, and a policy in one fence of Markdown", async () => {
    const mcp = createHttpMcpClient(stack.httpUrl);
    const slug = "FlappyBots";
    for (const policy of [`\`\`\`js\n${FLAPPY_POLICY}\n\`\`\``, `\n~~~javascript\r\n${FLAPPY_POLICY}\r\n~~~\n`]) {
      const { body } = await mcp.call("simulate", { slug, policy, seeds: 2, maxSeconds: 30 });
      expect(body, JSON.stringify(body)).to.include({ slug: "flappybots", runs: 2 });
    }
    const policy = "```\n() => { throw new Error('here'); }\n```";
    const failed = await mcp.call("play", { slug, policy, practice: true });
    expect(failed.body.error?.error).to.match(/in line 1, column \d+ at tick \d+: here/);
    const mixed = await mcp.call("simulate", { slug, policy: `A policy:\n${policy}`, seeds: 1 });
    expect(mixed.body).to.include({ code: "POLICY_INVALID" });
    expect(mixed.body.error).to.include("send the JavaScript only, without Markdown");
  });

  it("submits a policy to the league for the caller's wallet, and reports where a text is wrong", async () => {
    const agent = await createAgent(stack);
    const token = await agent.getAccessToken();
    const mcp = createHttpMcpClient(stack.httpUrl, () => token);
    const fenced = `\`\`\`js\n${FLAPPY_POLICY}\n\`\`\``;
    const { body } = await mcp.call("league_submit", { slug: "FlappyBots", policy: fenced });
    const { policy } = await agent.client.league.mine({ slug: "flappybots" });
    expect(policy).to.include({ text: FLAPPY_POLICY, season: body.season, digest: body.digest });
    const refused = await mcp.call("league_submit", { slug: "flappybots", policy: "() =>" });
    expect(refused.body).to.include({ ok: false, code: "POLICY_INVALID", line: 1 });
  });

  it("rejects pages of other sites, and hosts other than the service's", async () => {
    const foreign = await postMcp(stack.httpUrl, LIST, { origin: "https://evil.example" });
    expect(foreign.status).to.equal(403);
    expect(((await foreign.json()) as { code: string }).code).to.equal("FORBIDDEN");
    expect((await postMcp(stack.httpUrl, LIST, { origin: stack.httpUrl })).status).to.equal(200);
    const { request } = await import("node:http");
    const status = await new Promise((resolve) => {
      const { port } = new URL(stack.httpUrl);
      const sent = request({
        port,
        host: "127.0.0.1",
        path: "/mcp",
        method: "POST",
        headers: { host: "evil.example" },
      });
      sent.on("response", (response) => resolve(response.statusCode)).end("{}");
    });
    expect(status).to.equal(403);
  });

  it("rejects a body that is too long", async () => {
    const response = await postMcp(stack.httpUrl, { ...LIST, params: { text: "x".repeat(300_000) } });
    expect(response.status).to.equal(413);
  });
});
