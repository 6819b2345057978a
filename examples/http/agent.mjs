// From an empty wallet to a payout over plain HTTP and one WebSocket, without the client library. Needs Node 22 or
// later and viem (or any other library that signs). usage: node agent.mjs [SERVICE_URL]
import { createPublicClient, createWalletClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const slug = "flappybots";

/** An error that this program explains in one sentence. */
class Failure extends Error {}

// Any other error is a bug in this program, and is printed with its stack.
process.on("uncaughtException", (error) => {
  console.error(error instanceof Failure ? error.message : error);
  process.exit(1);
});
if (globalThis.WebSocket === undefined)
  throw new Failure("This program needs Node 22 or later. In the repository: npm exec -- node examples/http/agent.mjs");

const address = URL.parse(process.argv[2] ?? "http://127.0.0.1:4100");
const service = address?.origin;
if (address === null || address.href.replace(/\/+$/, "") !== service)
  throw new Failure("Expected the origin of a service, like http://127.0.0.1:4100: no path, no user, no password.");

// Wallets export keys with and without 0x.
const key = (process.env.ARCADE_AGENT_KEY || generatePrivateKey()).trim().replace(/^(0x)?/i, "0x");
if (!/^0x[\da-f]{64}$/i.test(key)) throw new Failure("ARCADE_AGENT_KEY: expected 64 hex digits, received another text");
const account = privateKeyToAccount(key);

/** The latest block seen. Every server answers as of this block or later. */
let seenBlock = 0;
const seeBlock = (block) => {
  seenBlock = Math.max(seenBlock, Number(block));
};

/**
 * One request. A failure has `code`, `error` (what to do) and `retryable`; retryable ones are repeated, 30 times at
 * most.
 */
async function request(method, path, body, token, repeats = 30) {
  const response = await fetch(service + path, {
    method,
    headers: {
      "content-type": "application/json",
      "arcade-min-block": String(seenBlock),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(method === "POST" && { body: JSON.stringify(body) }),
  }).catch(({ cause, message }) => {
    throw new Failure(
      `${service} does not answer (${cause?.code ?? cause?.message ?? message}); is the service running?`,
    );
  });
  const answer = await response.json().catch(() => {
    throw new Failure(`${service} answers ${path} with ${response.status} and no JSON; is this the service's address?`);
  });
  seeBlock(response.headers.get("arcade-block") ?? 0);
  if (answer.retryable && repeats > 0) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return request(method, path, body, token, repeats - 1);
  }
  if (!answer.ok) throw new Failure(`${method} ${path}: ${answer.code}: ${answer.error}`);
  return answer;
}
const post = (path, body, token) => request("POST", path, body, token);

// Chain and contracts of this service. On a public network take the contracts from the deployment's addresses file.
const { rpcUrl, chainId, contracts } = await request("GET", "/api/agent-instructions");
const transport = http(process.env.ARCADE_RPC_URL || rpcUrl);
const chain = createPublicClient({ transport, pollingInterval: 100 });
// Not viem's message: it has the node's whole address, which may contain a key.
const servedId = await chain.getChainId().catch(({ details }) => {
  const host = URL.parse(chain.transport.url)?.host;
  const place = host ? `${host} (${details})` : "an address without http://";
  throw new Failure(`The chain's node does not answer at ${place}; set another one in ARCADE_RPC_URL.`);
});
if (servedId !== chainId) throw new Failure(`the node is on chain ${servedId}, the service on ${chainId}`);
const wallet = createWalletClient({ account, transport });

/** Checks a prepared call, sends it, and waits for its block. */
async function send(call, expectedContract) {
  if (call.chainId !== chainId || call.to !== expectedContract || call.value !== "0")
    throw new Failure(`the service prepared another call than expected: ${JSON.stringify(call)}`);
  const hash = await wallet.sendTransaction({ chain: null, to: call.to, data: call.data });
  const { status, blockNumber } = await chain.waitForTransactionReceipt({ hash });
  if (status !== "success") throw new Failure(`${call.functionName} was reverted (${hash})`);
  seeBlock(blockNumber);
  console.log(`${call.functionName} ${hash}`);
  return hash;
}

/** Plays a session to its end: sends the token first, then the bot's message for each frame. */
function play(wsUrl, playToken) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(wsUrl);
    const say = (message) => socket.send(JSON.stringify(message));
    socket.onopen = () => say({ t: "auth", token: playToken });
    socket.onclose = ({ code, reason }) => reject(new Failure(`the channel closed: ${code} ${reason}`));
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.t === "end") resolve(message);
      if (message.t !== "frame" || message.frame.phase !== "running") return;
      const { pawn, observation, score } = message.frame;
      if (score.current >= 60) say({ t: "cmd", cmd: "exit" });
      else if (pawn.y > observation.nextGapCenterY + 35 && pawn.velocityY > -200) say({ t: "action", action: "FLAP" });
    };
  });
}

// 1. Gas (the faucet exists on the local chain only), then the identity: the service signs, the wallet sends.
if (chainId === 31337) await post("/api/dev/faucet", { address: account.address });
const walletAddress = account.address;
const { owned } = await post("/api/agents/identity/ownership-status", { walletAddress });
if (!owned) {
  const { call } = await post("/api/identity/register", { walletAddress, agentName: "Raw agent" });
  await send(call, contracts.identity);
}

// 2. Sign-in: sign the service's message (it contains this service, the wallet and a nonce).
const { message } = await post(`/api/games/${slug}/auth/nonce`, { walletAddress });
const signature = await account.signMessage({ message });
const { accessToken } = await post(`/api/games/${slug}/auth/verify`, { message, signature });

// 3. A ranked session, played over the WebSocket.
const started = await post(`/api/games/${slug}/sessions/start`, { source: "agent_api" }, accessToken);
const end = await play(started.wsUrl, started.playToken);
console.log(`played ${end.score} points, ${end.endReason}`);
const { sessionId } = started;

// 4. The wallet vouches for the run within 10 minutes of its end: verifiers then answer SIGNED_BY_PLAYER.
const transcript = await account.signTypedData({
  domain: { name: "AgentArcadeReplay", version: "1", chainId },
  types: {
    Transcript: [
      { name: "wallet", type: "address" },
      { name: "sessionId", type: "string" },
      { name: "replayDigest", type: "bytes32" },
    ],
  },
  primaryType: "Transcript",
  message: { wallet: walletAddress, sessionId, replayDigest: end.replayDigest },
});
await post(`/api/games/${slug}/sessions/${sessionId}/transcript`, { signature: transcript }, accessToken);
console.log("replay signed");

// 5. Put the score on chain; then report the transaction to the service.
const snapshot = await post("/api/rewards/snapshot", { sessionId }, accessToken);
const txHash = await send(snapshot.call, contracts.rewards);
await post("/api/rewards/snapshot", { sessionId, txHash }, accessToken);

// 6. The payout. Wait a minute at most for a cooldown; the points stay in the scorebank.
const isCooldown = (reason) => reason === "COOLDOWN_ACTIVE" || reason === "IDENTITY_TOO_NEW";
const giveUpAt = Date.now() + 60_000;
let shownAt = null;
for (;;) {
  const { ready, reasons, nextEligibleAt } = await post("/api/rewards/readiness", {}, accessToken);
  if (ready) break;
  if (!reasons.every(isCooldown) || Date.now() > giveUpAt)
    throw new Failure(
      `not ready to be paid: ${reasons.join(", ")}${nextEligibleAt ? `, next time ${nextEligibleAt}` : ""}`,
    );
  if (nextEligibleAt !== shownAt) console.log(`waiting for the cooldown until ${nextEligibleAt}`);
  shownAt = nextEligibleAt;
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
let payout = await post("/api/rewards/payout", {}, accessToken);
while (payout.status === "pending" || payout.status === "sent") {
  await new Promise((resolve) => setTimeout(resolve, 500));
  payout = await request("GET", `/api/rewards/payout/${payout.payoutId}`, undefined, accessToken);
}
console.log(`payout ${payout.status}: ${payout.score} points, ${payout.txHash}`);
