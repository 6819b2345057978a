import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { generatePrivateKey } from "viem/accounts";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import {
  type ArcadeClient,
  playSession,
  registerAgent,
  requestPayout,
  snapshotScore,
  spectate,
} from "../../client/index.ts";
import { findGame } from "../../games/index.ts";
import { fund, makeDrillAgent } from "../../lab/drills/support/agent.ts";
import { type ArcadeProcess, startProcess } from "../../lab/drills/support/process.ts";
import { NoPointsError, untilPoints } from "../helpers/until-points.ts";

const SLUG = "flappybots";
const TOKEN = /\ba[arpsx]_[\w-]{20,}/g;

/** Every file below a folder. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe("the secrets of the service", () => {
  let dataDir: string;
  let arcade: ArcadeProcess;
  /** Secrets that only their holders may see. */
  const secrets = new Map<string, string>();
  const problems: string[] = [];
  const realFetch = globalThis.fetch;
  const keys = {
    ARCADE_IDENTITY_SIGNER_KEY: generatePrivateKey(),
    ARCADE_SCORE_SIGNER_KEY: generatePrivateKey(),
    ARCADE_NFT_SIGNER_KEY_SHELLRUNNERS: generatePrivateKey(),
    ARCADE_OPERATOR_KEY: generatePrivateKey(),
  };

  /** Collects the tokens of every response and the text of every failure. */
  async function recordingFetch(...request: Parameters<typeof fetch>): Promise<Response> {
    const response = await realFetch(...request);
    const text = await response.clone().text();
    if (response.ok) for (const [token] of text.matchAll(TOKEN)) secrets.set(token, `token ${token.slice(0, 3)}`);
    else problems.push(text);
    return response;
  }

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-secrets-"));
    for (const [name, key] of Object.entries(keys)) secrets.set(key.slice(2), name);
    arcade = await startProcess({ dataDir, env: { ...keys, ARCADE_LOG_LEVEL: "debug" } });
    globalThis.fetch = recordingFetch as typeof fetch;
  });
  after(async () => {
    globalThis.fetch = realFetch;
    arcade?.kill("SIGKILL");
    await arcade?.exited;
    await rm(dataDir, { recursive: true, force: true });
  });

  const post = (path: string, headers: Record<string, string>, body: unknown) =>
    fetch(arcade.ready.httpUrl + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  /** A session that is watched, and ends once it has points. */
  async function playAndWatch(client: ArcadeClient) {
    const session = await client.sessions.start({ slug: SLUG, source: "agent_api" });
    const { sessionId } = session;
    const watching = spectate({ client, slug: SLUG, sessionId });
    const bot = findGame(SLUG)!.bots.reference();
    let isEnding = false;
    const { score, endReason } = await playSession({
      client,
      session,
      bot: (frame) => {
        if (frame.score.current > 0 && !isEnding) {
          isEnding = true;
          void client.sessions.end({ slug: SLUG, sessionId });
        }
        return bot(frame);
      },
    });
    await watching;
    if (score === 0) throw new NoPointsError(endReason);
    return session;
  }

  it("appear in no log, no file and no error of a complete flow", async () => {
    const agent = makeDrillAgent();
    secrets.set(agent.privateKey.slice(2), "player's key");
    const client = agent.connect(arcade.ready);
    await fund(arcade.ready, agent.address);
    await registerAgent({ client, agentName: "Secretive" });
    const session = await untilPoints(() => playAndWatch(client));
    const { sessionId } = session;
    await snapshotScore({ client, sessionId });
    await requestPayout({ client });
    const practice = await client.sessions.start({ slug: SLUG, source: "browser_ws" });
    await client.sessions.end({ slug: SLUG, sessionId: practice.sessionId });
    await post(`/api/games/${SLUG}/sessions/start`, {}, { source: "browser_ws" });

    // Errors of every kind, each for a request with secrets that the error must not contain.
    const { accessToken, refreshToken } = client.signIn.credentials()!;
    const bearer = { Authorization: `Bearer ${accessToken}` };
    const refresh = `/api/games/${SLUG}/auth/refresh`;
    await post(refresh, {}, { refreshToken, [refreshToken]: 1 });
    await post(refresh, {}, `{"refreshToken":"${refreshToken}"`);
    await post(refresh, {}, { refreshToken: `${refreshToken}${"x".repeat(300)}` });
    await post("/api/rewards/scorebank", { Authorization: accessToken }, {});
    await post("/api/rewards/scorebank", { Authorization: `Bearer ${refreshToken}` }, {});
    await post("/api/rewards/snapshot", bearer, { sessionId: accessToken });
    await post(`/api/games/${SLUG}/sessions/start`, { ...bearer, "Idempotency-Key": `${accessToken} ` }, {});
    await post(
      `/api/games/${SLUG}/auth/verify`,
      {},
      { message: accessToken, signature: `0x${keys.ARCADE_SCORE_SIGNER_KEY.slice(2)}` },
    );
    await fetch(`${arcade.ready.httpUrl}/api/games/${SLUG}/sessions/${sessionId}?token=${session.playToken}`);
    await fetch(`${arcade.ready.httpUrl}/api/nothing`, { headers: bearer });
    const socket = new WebSocket(session.wsUrl);
    const closed = new Promise((resolve) => socket.addEventListener("close", resolve));
    socket.addEventListener("open", () => socket.send(JSON.stringify({ t: "auth", token: session.playToken })));
    await closed;
    await post(refresh, {}, { refreshToken });
    arcade.kill("SIGTERM");
    expect(await arcade.exited).to.equal(0);

    const kinds = new Set([...secrets.keys()].map((secret) => /^a\w_/.exec(secret)?.[0]));
    expect([...kinds]).to.include.members(["aa_", "ar_", "ap_", "as_", "ax_"]);
    expect(problems.length).to.be.at.least(9);
    secrets.set(developmentServiceAccount(0).privateKey.slice(2), "the admin's key");
    const leaks: string[] = [];
    const searchSecrets = (source: string, bytes: Buffer): void => {
      for (const [secret, name] of secrets) if (bytes.includes(secret)) leaks.push(`${name} in ${source}`);
    };
    searchSecrets("the log", Buffer.from(arcade.output()));
    for (const [index, problem] of problems.entries())
      searchSecrets(`failure ${index}: ${problem}`, Buffer.from(problem));
    for (const file of await listFiles(dataDir)) searchSecrets(file.slice(dataDir.length + 1), await readFile(file));
    expect(leaks).to.deep.equal([]);
    // The log was written at its most detailed level.
    expect(arcade.output()).to.include("UNKNOWN_FIELD");
  });
});
