import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { expect } from "chai";
import { createLog } from "../../../backend/adapters/system/log.ts";
import { type App, startApp } from "../../../backend/app/app.ts";
import { readConfig } from "../../../backend/config/config.ts";
import { createFixtures } from "../../../lab/simulate/run/fixtures.ts";
import { simulatedGames, tally } from "../../../lab/simulate/run/game.ts";
import { sendRequest } from "../../helpers/suite.ts";
import { BLOCKS_PER_MINT } from "./long-chain.ts";

const BLOCKS = 100_000;
const WALLET = "0x00000000000000000000000000000000000000aa";
/** Sends requests one after the other. None of the catch-up's many steps may delay the next request until its end. */
const REQUESTS_MIN = 20;

describe("a service that starts 100,000 blocks behind", () => {
  let dataDir: string;
  let node: ChildProcess;
  let app: App;

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "arcade-catch-up-"));
    const program = fileURLToPath(new URL("long-chain-process.ts", import.meta.url));
    node = spawn(process.execPath, [program, String(BLOCKS)], { stdio: ["ignore", "pipe", "inherit"] });
    const [rpcUrl] = await once(createInterface(node.stdout!), "line");
    const { keys, contracts } = await createFixtures();
    const environment = { ARCADE_DEMO_AGENTS: "off", ARCADE_DATA_DIR: dataDir, ARCADE_PORT: "0" };
    app = await startApp({
      config: readConfig({ ...environment, ARCADE_RATE_LIMITS: "off" }, simulatedGames.games),
      ...{ keys, rpcUrl, deployment: contracts.config.deployment, gameList: simulatedGames },
      ...{ log: createLog("silent"), webDir: null },
    });
  });

  after(async () => {
    await app?.close();
    node?.kill("SIGKILL");
    rmSync(dataDir, { recursive: true, force: true });
  });

  it("answers reads and sign-ins during it, and stores every event once", async () => {
    const readLag = async (): Promise<number> =>
      (await sendRequest(app.httpUrl, "GET", "/status")).body.chain.lagBlocks ?? BLOCKS;
    const lags: number[] = [];
    for (let lag = await readLag(); lag > 0; lag = await readLag()) {
      lags.push(lag);
      const catalog = await sendRequest(app.httpUrl, "GET", "/api/games/catalog");
      const path = `/api/games/${tally.slug}/auth/nonce`;
      const nonce = await sendRequest(app.httpUrl, "POST", path, { body: { walletAddress: WALLET } });
      expect([catalog.status, nonce.status]).to.deep.equal([200, 200]);
    }
    expect(lags.length).to.be.at.least(REQUESTS_MIN);
    expect(new Set(lags).size).to.be.at.least(REQUESTS_MIN);

    const database = new Database(join(dataDir, "arcade.db"), { readonly: true });
    const rows = database.prepare("select block from chain_events where name = 'Registered' order by block").all();
    database.close();
    const expected = Array.from({ length: BLOCKS / BLOCKS_PER_MINT }, (_, index) => (index + 1) * BLOCKS_PER_MINT);
    expect(rows.map((row) => (row as { readonly block: number }).block)).to.deep.equal(expected);
  });
});
