import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect } from "chai";
import { type ArcadeProcess, startProcess } from "../../lab/drills/support/process.ts";
import { sendRequest } from "../helpers/suite.ts";

const KILLS = 3;
const CONNECTIONS = 20;
/** The process is killed after this many answered writes. */
const ANSWERS_BEFORE_KILL = 60;

/** Requests sign-in nonces, one after another on each of several connections, until the server is gone. */
async function writeUntilGone(httpUrl: string, onAnswer: (nonce: string) => void): Promise<void> {
  const write = async (): Promise<void> => {
    for (;;) {
      const body = { walletAddress: `0x${randomBytes(20).toString("hex")}` };
      const answer = await sendRequest(httpUrl, "POST", "/api/games/shellrunners/auth/nonce", { body }).catch(
        () => null,
      );
      if (answer === null) return;
      if (answer.status === 200) onAnswer((answer.body as { nonce: string }).nonce);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, write));
}

describe("a write that was answered", () => {
  let dataDir: string;
  let arcade: ArcadeProcess | null = null;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-durable-"));
  });
  after(async () => {
    arcade?.kill("SIGKILL");
    await arcade?.exited;
    await rm(dataDir, { recursive: true, force: true });
  });

  it("is in the database after the process was killed during other writes", async () => {
    const answered: string[] = [];
    for (let kill = 1; kill <= KILLS; kill++) {
      arcade = await startProcess({ dataDir });
      const { kill: signal, exited, ready } = arcade;
      await writeUntilGone(ready.httpUrl, (nonce) => {
        answered.push(nonce);
        if (answered.length === kill * ANSWERS_BEFORE_KILL) signal("SIGKILL");
      });
      await exited;
    }
    const database = new Database(join(dataDir, "arcade.db"), { readonly: true });
    const stored = new Set(database.prepare("select nonce from nonces").pluck().all());
    database.close();
    expect(answered.length).to.be.at.least(KILLS * ANSWERS_BEFORE_KILL);
    expect(answered.filter((nonce) => !stored.has(nonce))).to.deep.equal([]);
  });
});
