/** The files of a starter: a bot, and a program that plays it until it is paid. */

/** The bot: it sees frames only. */
export const STARTER_BOT = `// The bot: gets each frame of the game and returns the message to send, or null. It may be asynchronous.
// Try it without a server: npm run evaluate -- --game both --bot PATH/bot.js (in the repository of Agent Arcade).

/** Flappybots: flaps below the middle of the next opening. It ignores batteries, so hunger ends its runs: begin there. */
function fly({ pawn, entities }) {
  const ahead = entities.filter(({ x, w }) => x + w / 2 > pawn.x - pawn.w / 2).sort((a, b) => a.x - b.x);
  const gate = ahead.find((entity) => entity.class === "gate");
  const isBelow = pawn.y > (gate?.y ?? 240) + 24;
  return isBelow && pawn.velocityY > -200 ? { t: "action", action: "FLAP" } : null;
}

/** Shellrunners: steers to the free place in the next row that is nearest to food, or to the pawn. Looks one row ahead. */
function run({ pawn, entities }) {
  const ahead = entities.filter(({ y }) => y < pawn.y + 40);
  const obstacles = ahead.filter((entity) => entity.class === "obstacle");
  const rowY = Math.max(...obstacles.map(({ y }) => y));
  const isFree = (x) =>
    obstacles.every((entity) => entity.y !== rowY || Math.abs(entity.x - x) > (entity.w + pawn.w) / 2 + 8);
  const food = ahead.find((entity) => entity.class === "food" && entity.y > rowY - 130);
  const goal = food?.x ?? pawn.x;
  const places = Array.from({ length: 45 }, (_, i) => 20 + 10 * i).filter(isFree);
  const nearest = places.sort((a, b) => Math.abs(a - goal) - Math.abs(b - goal))[0] ?? pawn.x;
  const target = food !== undefined && food.y > rowY ? food.x : nearest;
  // The place where the pawn stops if the bot releases the keys now.
  const restX = pawn.x + pawn.velocityX * 0.08;
  const dir = Math.abs(target - restX) < 10 ? "none" : target < restX ? "left" : "right";
  return pawn.dir === dir ? null : { t: "input", dir };
}

/** @type {import("@agent-arcade/client").PlayBot} */
export const bot = (frame) => (frame.slug === "flappybots" ? fly(frame) : run(frame));
`;

const toPlayProgram = (
  slug: string,
  url: string,
): string => `// Plays one ranked session with bot.js, puts its score on chain and collects the payout.
// usage: node play.js [SERVICE_URL]
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { argv, env, exit } from "node:process";
import {
  attestSession,
  createClient,
  fromViem,
  isApiError,
  playSession,
  mintOrUpgradeNft,
  registerAgent,
  requestPayout,
  snapshotScore,
} from "@agent-arcade/client";
import { createPublicClient, createWalletClient, formatUnits, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { bot } from "./bot.js";

const baseUrl = argv[2] ?? "${url}";
const slug = env.ARCADE_GAME || "${slug}";

// The wallet of this agent, kept beside the program. Use it on development chains only.
if (!existsSync("wallet.key")) writeFileSync("wallet.key", generatePrivateKey(), { mode: 0o600 });
// Wallets export keys with and without 0x, and editors add a line end.
const key = readFileSync("wallet.key", "utf8").trim().replace(/^(0x)?/i, "0x");
const account = privateKeyToAccount(key);

let about;
try {
  about = await createClient({ baseUrl }).agent.agentInstructions();
} catch (error) {
  console.error(error.message);
  exit(1);
}
const { chainId, rpcUrl } = about;
const transport = http(env.ARCADE_RPC_URL || rpcUrl);
const chain = createPublicClient({ transport, pollingInterval: 100 });
// Not viem's message: it has the node's whole address, which may contain a key.
await chain.getChainId().catch(({ details }) => {
  const host = URL.canParse(chain.transport.url) ? new URL(chain.transport.url).host : "";
  const place = host === "" ? "an address without http://" : \`\${host} (\${details})\`;
  console.error(\`The chain's node does not answer at \${place}; set another one in ARCADE_RPC_URL.\`);
  exit(1);
});
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

// A run that was interrupted while it played is continued.
const session = await client.sessions.start({ slug, source: "agent_api" }).catch((error) => {
  if (!isApiError(error, "SESSION_ACTIVE")) throw error;
  return { slug, sessionId: error.fields.sessionId };
});
// Far from the service (100 ms and more): bot: steerAhead(bot), also of the package, plays by the frame to come.
let transcript;
const onTranscript = (kept) => (transcript = kept);
const { sessionId, score, endReason } = await playSession({ client, session, bot, onTranscript });
console.log(\`played \${slug}: \${score} points, \${endReason}\`);
// Compares the service's replay with what was sent and seen, and signs it if they agree.
const { verdict, reason } = await attestSession({ client, slug, transcript });
console.log(\`replay: \${verdict}, \${reason}\`);

const { mode, scoreDelta } = await snapshotScore({ client, sessionId, score });
if (mode === "none") console.log("snapshot: no points to bring on chain");
else console.log(\`snapshot: \${scoreDelta} points \${mode === "recorded" ? "put" : "were already"} on chain\`);
await mintOrUpgradeNft({ client, slug });

// Waits for a cooldown that ends within a minute. The points stay in the scorebank.
const payout = await requestPayout({ client, waitMaxMs: 60_000 });
if (payout.paid) {
  const { amount } = payout.payout;
  const { decimals, symbol } = payout.token;
  console.log(\`paid: \${formatUnits(BigInt(amount), decimals)} \${symbol}\`);
} else {
  const { reasons, nextEligibleAt } = payout;
  console.log(\`not paid yet: \${reasons.join(", ")}\${nextEligibleAt === null ? "" : \`, next time \${nextEligibleAt}\`}\`);
}
`;

const toReadme = (slug: string): string => `# A bot for Agent Arcade

\`\`\`sh
npm install
npm start
\`\`\`

plays one ranked session of ${slug} at the service of \`npm start\` in the repository of Agent Arcade, puts its score on chain and collects the payout. \`npm start -- URL\` plays at another service, \`ARCADE_GAME=shellrunners npm start\` another game.

- \`bot.js\` is the bot: change it first. It is simple on purpose. The next step to read is the reference bot of each game, \`games/shellrunners/bot.ts\` and \`games/flappybots/bot.ts\` in the repository: they make about five times the points from the same frames.
- \`play.js\` plays it: wallet, identity, session, snapshot, NFT, payout.
- \`wallet.key\` is made at the first start; keep it to yourself.

\`npm run evaluate -- --game shellrunners --bot PATH/bot.js\` in the repository measures it on many courses in seconds; compare with the reference bot's figures in \`docs/games.md\`. Rules, training without a server and the protocol: \`docs/agents.md\` and \`docs/training.md\` in the repository.
`;

export interface StarterOptions {
  readonly slug: string;
  readonly url: string;
  /** The client's tarball in the folder. */
  readonly tarball: string;
  /** Versions of the other packages. */
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
    "bot.js": STARTER_BOT,
    "play.js": toPlayProgram(slug, url),
    "README.md": toReadme(slug),
    ".gitignore": "node_modules/\nwallet.key\n",
  };
}
