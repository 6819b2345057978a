/** The files of a starter: a bot that plays at once, and a program that plays it until it is paid. */

/** The bot: it sees frames only. */
const BOT = `// The bot: gets each frame of the game and returns the message to send, or null. It may be asynchronous.
// Try it without a server: npm run evaluate -- --game both --bot PATH/bot.js (in the repository of Agent Arcade).

const NEAR = 260;

/** Flaps when it is below the middle of the next opening, or below food that comes before it. */
function fly({ pawn, entities }) {
  const ahead = entities.filter(({ x, w }) => x + w / 2 > pawn.x - pawn.w / 2).sort((a, b) => a.x - b.x);
  const target = ahead.find(({ class: kind }) => kind === "gate" || kind === "food");
  const isBelow = pawn.y > (target?.y ?? 240) + 32;
  return isBelow && pawn.velocityY > -200 ? { t: "action", action: "FLAP" } : null;
}

/** Runs away from the nearest obstacle in its way, else towards food. */
function run({ pawn, entities }) {
  const ahead = entities.filter(({ y }) => y < pawn.y + 30 && y > pawn.y - NEAR).sort((a, b) => b.y - a.y);
  const isInTheWay = ({ class: kind, x, w }) => kind === "obstacle" && Math.abs(x - pawn.x) < (w + pawn.w) / 2 + 12;
  const obstacle = ahead.find(isInTheWay);
  const food = ahead.find(({ class: kind }) => kind === "food");
  let dir = "none";
  if (obstacle !== undefined) dir = obstacle.x > pawn.x ? "left" : "right";
  else if (food !== undefined && Math.abs(food.x - pawn.x) > 12) dir = food.x < pawn.x ? "left" : "right";
  return pawn.dir === dir ? null : { t: "input", dir };
}

/** @type {import("@agent-arcade/client").PlayBot} */
export const bot = (frame) => (frame.slug === "flappybots" ? fly(frame) : run(frame));
`;

const toPlayProgram = (
  slug: string,
  url: string,
): string => `// Plays one ranked session with bot.js, brings its score on chain and collects the payout.
// usage: node play.js [SERVICE_URL]
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { argv, env } from "node:process";
import {
  createClient,
  fromViem,
  playSession,
  mintOrUpgradeNft,
  registerAgent,
  requestPayout,
  snapshotScore,
} from "@agent-arcade/client";
import { createPublicClient, createWalletClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { bot } from "./bot.js";

const baseUrl = argv[2] ?? "${url}";
const slug = env.ARCADE_GAME || "${slug}";

// The wallet of this agent, kept beside the program. Use it on development chains only.
if (!existsSync("wallet.key")) writeFileSync("wallet.key", generatePrivateKey(), { mode: 0o600 });
const account = privateKeyToAccount(readFileSync("wallet.key", "utf8"));

const { chainId, rpcUrl } = await createClient({ baseUrl }).agent.agentInstructions();
const transport = http(env.ARCADE_RPC_URL || rpcUrl);
const chain = createPublicClient({ transport, pollingInterval: 100 });
const wallet = fromViem(createWalletClient({ account, transport }), chain);
// Node 20 has no global WebSocket.
const WebSocket = globalThis.WebSocket ?? (await import("ws")).WebSocket;
// On a public network give the client \`contracts\` too, from the deployment's addresses file.
const client = createClient({ baseUrl, wallet, slug, WebSocket });

if (chainId === 31337 && (await chain.getBalance({ address: account.address })) === 0n)
  await client.dev.faucet({ address: account.address });
const { agentId } = await registerAgent({ client, agentName: "Starter" });
console.log(\`agent #\${agentId}, wallet \${account.address}\`);

// What an earlier run left unfinished would keep the next session from starting.
await snapshotScore({ client });
await mintOrUpgradeNft({ client, slug });

const session = await client.sessions.start({ slug, source: "agent_api" });
// Far from the service (100 ms and more): bot: steerAhead(bot), also of the package, plays by the frame to come.
const { sessionId, score, endReason } = await playSession({ client, session, bot });
console.log(\`played \${slug}: \${score} points, \${endReason}\`);

const snapshot = await snapshotScore({ client, sessionId, score });
console.log(\`snapshot: +\${snapshot.scoreDelta} points on chain\`);
await mintOrUpgradeNft({ client, slug });

// Waits for a cooldown that ends within a minute. The points stay in the scorebank.
const payout = await requestPayout({ client, waitMaxMs: 60_000 });
if (payout.paid) {
  const { amount } = payout.payout;
  const { decimals, symbol } = payout.token;
  console.log(\`paid: \${BigInt(amount) / 10n ** BigInt(decimals)} \${symbol}\`);
} else {
  console.log(\`not paid yet: \${payout.reasons.join(", ")}, next time \${payout.nextEligibleAt}\`);
}
`;

const toReadme = (slug: string): string => `# A bot for Agent Arcade

\`\`\`sh
npm install
npm start
\`\`\`

plays one ranked session of ${slug} at the service of \`npm start\` in the repository of Agent Arcade, brings its score on chain and collects the payout. \`npm start -- URL\` plays at another service, \`ARCADE_GAME=shellrunners npm start\` another game.

- \`bot.js\` is the bot: change it first.
- \`play.js\` plays it: wallet, identity, session, snapshot, NFT, payout.
- \`wallet.key\` is made at the first start; keep it to yourself.

Rules, training without a server and the protocol: \`docs/agents.md\` and \`docs/training.md\` in the repository.
`;

export interface StarterOptions {
  readonly slug: string;
  readonly url: string;
  /** The client's tarball in the folder. */
  readonly tarball: string;
  /** Versions of the packages beside it. */
  readonly versions: { readonly [name: string]: string };
}

/** Every file of a starter by its name. */
export function renderStarter({ slug, url, tarball, versions }: StarterOptions): { readonly [name: string]: string } {
  const { viem, ws } = versions;
  const manifest = {
    name: "my-arcade-bot",
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: { start: "node play.js" },
    dependencies: { "@agent-arcade/client": `file:${tarball}`, viem, ws },
  };
  return {
    "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
    "bot.js": BOT,
    "play.js": toPlayProgram(slug, url),
    "README.md": toReadme(slug),
    ".gitignore": "node_modules/\nwallet.key\n",
  };
}
