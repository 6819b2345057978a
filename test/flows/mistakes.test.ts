import { once } from "node:events";
import { expect } from "chai";
import { encodeFunctionData, type Hex, parseAbi, zeroAddress } from "viem";
import { WebSocket } from "ws";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent, type Player } from "../../testing/player.ts";
import { useShared } from "../helpers/fixture.ts";
import { useTestStack } from "../helpers/suite.ts";

const REWARDS = parseAbi([
  "function snapshotScoreSigned(address wallet, bytes32 gameId, uint256 score, bytes32 gameSessionHash, uint256 deadline, bytes signature)",
  "function payout(address wallet)",
  "function pause()",
  "function setMaxScorePerSession(uint256 newMax)",
  "function cancelSessions((address wallet, bytes32 gameSessionHash)[] list)",
  "function snapshotScoresSigned(address wallet, (bytes32 gameSessionHash, bytes32 gameId, uint256 score)[] items, uint256 deadline, bytes signature)",
]);
const IDENTITY = parseAbi(["function transferFrom(address from, address to, uint256 tokenId)"]);
const GAME_ID: Hex = `0x${"66".repeat(32)}`;
const HASH: Hex = `0x${"11".repeat(32)}`;
const SIGNATURE: Hex = `0x${"11".repeat(64)}1b`;

/** Common mistakes of beginners. The answers state what was expected and what was received. */
describe("mistakes of authors", () => {
  const stack = useTestStack();
  const agent = useShared(() => createAgent(stack));

  describe("over HTTP", () => {
    type Mistake = readonly [
      what: string,
      path: string,
      body: unknown,
      said: RegExp,
      options?: { readonly token?: string; readonly method?: "GET" },
    ];
    const games = "/api/games/flappybots";
    const mistakes: readonly Mistake[] = [
      ["a slug that does not exist", "/api/games/chess/sessions/start", {}, /GAME_NOT_FOUND.*chess/],
      [
        "a body that is not JSON",
        `${games}/sessions/start`,
        "{source}",
        /BAD_JSON Expected a JSON object.*received "{source}"/,
      ],
      ["no source", `${games}/sessions/start`, {}, /body.source: .*"browser_ws", received nothing/],
      [
        "a source that does not exist",
        `${games}/sessions/start`,
        { source: "ws" },
        /agent_api.*browser_ws", received "ws"/,
      ],
      [
        "a field that does not exist",
        `${games}/sessions/start`,
        { source: "browser_ws", level: 2 },
        /UNKNOWN_FIELD.*level/,
      ],
      ["a ranked start without a token", `${games}/sessions/start`, { source: "agent_api" }, /AUTH_REQUIRED|TOKEN_/],
      [
        "a token that was made up",
        "/api/rewards/scorebank",
        {},
        /TOKEN_INVALID/,
        { token: "aa_0123456789abcdefghijklmnop" },
      ],
      [
        "an address that is none",
        `${games}/auth/nonce`,
        { walletAddress: "0x12" },
        /walletAddress: .*40 hex digits, received "0x12"/,
      ],
      [
        "a session that does not exist",
        `${games}/sessions/7`,
        null,
        /SESSION_NOT_FOUND.*UUIDv7.*received "7"/,
        { method: "GET" },
      ],
      ["a route that does not exist", "/api/game/flappybots", {}, /NOT_FOUND.*\/api\/game/],
    ];
    for (const [what, path, body, said, options = {}] of mistakes)
      it(`names ${what}`, async () => {
        const { token, method = "POST" } = options;
        const request = { ...(token === undefined ? {} : { token }), ...(method === "POST" ? { body } : {}) };
        const { status, body: problem } = await stack.request(method, path, request);
        expect(status).to.be.within(400, 499);
        expect(problem).to.include({ ok: false, retryable: false });
        expect(`${problem.code} ${problem.error} ${JSON.stringify(problem.issues ?? "")}`).to.match(said);
      });
  });

  describe("over the play channel", () => {
    /** The service's answers to these messages, including the close. */
    async function tell(change: (auth: object) => readonly unknown[]): Promise<string> {
      const { body } = await stack.request("POST", "/api/games/flappybots/sessions/start", {
        body: { source: "browser_ws" },
      });
      const socket = new WebSocket(body.wsUrl);
      const heard: string[] = [];
      socket.on("message", (data) => {
        const message = JSON.parse(String(data));
        if (message.t === "hello" && later.length > 0) for (const one of later) sendMessages(one);
        if (message.t === "error") heard.push(`${message.code}: ${message.error}`);
        if (message.t === "error" && !message.fatal) socket.close();
      });
      const sendMessages = (message: unknown): void =>
        socket.send(typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message));
      const [first, ...later] = change({ t: "auth", token: body.playToken });
      await once(socket, "open");
      sendMessages(first);
      const [code, reason] = await once(socket, "close");
      return `${heard.join(" | ")} | ${code} ${reason}`;
    }

    const mistakes: readonly (readonly [string, (auth: object) => readonly unknown[], RegExp])[] = [
      [
        "a move before the token",
        () => [{ t: "action", action: "FLAP" }],
        /Expected {"t":"auth".*FLAP.*4002 INVALID_TOKEN$/,
      ],
      ["a made-up token", () => [{ t: "auth", token: `ap_${"A".repeat(43)}` }], /unknown.*4002 TOKEN_NOT_FOUND$/],
      [
        "the access token",
        () => [{ t: "auth", token: `aa_${"A".repeat(43)}` }],
        /received {"t":"auth","token":"aa_…"} \(token: expected a playToken.*4002 INVALID_TOKEN$/,
      ],
      ["entropy without 0x", (auth) => [{ ...auth, entropy: "c0ffee" }], /entropy.*4002 INVALID_TOKEN$/],
      [
        "another game's move",
        (auth) => [auth, { t: "input", dir: "left" }],
        /flappybots takes .*FLAP.*received {"t":"input","dir":"left"}/,
      ],
      ["a misspelled move", (auth) => [auth, { t: "action", action: "JUMP" }], /"action":"FLAP".*received .*JUMP/],
      ["a wrong type", (auth) => [auth, { t: "move", action: "FLAP" }], /received {"t":"move".*\(t: /],
      ["an unknown field", (auth) => [auth, { t: "action", action: "FLAP", power: 2 }], /Unrecognized key: "power"/],
      ["text that is not JSON", (auth) => [auth, "FLAP"], /received "FLAP", which is not JSON/],
      [
        "a command that does not exist",
        (auth) => [auth, { t: "cmd", cmd: "stop" }],
        /"cmd":"pause"}, "resume" or "exit".*stop/,
      ],
      ["bytes that are not JSON", (auth) => [auth, Buffer.from("FLAP")], /received "FLAP", which is not JSON/],
    ];
    for (const [what, change, said] of mistakes)
      it(`names ${what}`, async () => {
        expect(await tell(change)).to.match(said);
      });
  });

  describe("on the contracts", () => {
    const call = async (to: Hex, data: Hex, from: Hex = agent.address) => {
      const body = { jsonrpc: "2.0", id: 1, method: "eth_call", params: [{ from, to, data }, "latest"] };
      const response = await fetch(stack.chain.rpcUrl, { method: "POST", body: JSON.stringify(body) });
      return (await response.json()).error.message as string;
    };
    const rewards = (data: Hex): Promise<string> => call(stack.deployment.rewards, data);
    const snapshot = (deadline: bigint): Promise<string> =>
      rewards(
        encodeFunctionData({
          abi: REWARDS,
          functionName: "snapshotScoreSigned",
          args: [agent.address, GAME_ID, 7n, HASH, deadline, SIGNATURE],
        }),
      );
    const encode = (
      functionName: "payout" | "pause" | "setMaxScorePerSession" | "cancelSessions",
      args: readonly unknown[],
    ) => encodeFunctionData({ abi: REWARDS, functionName, args } as never);

    /** A score that is already on chain, as signed by the service. */
    async function snapshotTwice(player: Player): Promise<string> {
      const { sessionId } = await addEndedSession(stack, { wallet: player.address });
      const prepared = await player.client.rewards.snapshot({ sessionId });
      if (prepared.mode !== "sign") throw new Error(prepared.mode);
      const { txHash } = await player.wallet.sendCall(prepared.call);
      await player.wallet.waitForReceipt(txHash);
      return rewards(prepared.call.data);
    }

    const mistakes: readonly (readonly [string, () => Promise<string>, RegExp])[] = [
      ["a deadline that is over", () => snapshot(1n), /DeadlineExpired\(1\)/],
      ["a deadline in milliseconds", () => snapshot(BigInt(Date.now())), /DeadlineTooFar\(\d+, \d+\)/],
      [
        "a signature of nobody",
        async () => snapshot(BigInt(Math.floor(Date.now() / 1000) + 600)),
        /InvalidSignature|UnknownSigner|ECDSAInvalid/,
      ],
      ["the same score twice", () => snapshotTwice(agent), /SessionAlreadyConsumed\(0x/],
      [
        "an early payout",
        () => rewards(encode("payout", [agent.address])),
        /CooldownActive\(\d+\)|BelowMinimum|ScorebankEmpty/,
      ],
      ["another wallet's payout", () => rewards(encode("payout", [zeroAddress])), /NotWalletOrOperator\(0x/],
      ["a pause by a player", () => rewards(encode("pause", [])), /NotGuardian\(0x/],
      ["a limit set by a player", () => rewards(encode("setMaxScorePerSession", [1n])), /NotGuardian\(0x/],
      [
        "an empty batch",
        () =>
          rewards(
            encodeFunctionData({
              abi: REWARDS,
              functionName: "snapshotScoresSigned",
              args: [agent.address, [], 1n, SIGNATURE],
            }),
          ),
        /EmptyBatch\(\)/,
      ],
      [
        "a token that does not exist",
        () =>
          call(
            stack.deployment.identity,
            encodeFunctionData({
              abi: IDENTITY,
              functionName: "transferFrom",
              args: [agent.address, HASH.slice(0, 42) as Hex, 999n],
            }),
          ),
        /ERC721NonexistentToken\(999\)/,
      ],
    ];
    for (const [what, run, said] of mistakes)
      it(`names ${what}`, async () => {
        const message = await run();
        expect(message).to.match(said).and.not.include("unrecognized");
      });
  });
});
