/**
 * Runs in a separate process. Builds the stages with fixed time and randomness, so that each image is always the same.
 */
import nodeCrypto, { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import Database from "better-sqlite3";
import { systemClock } from "../backend/adapters/system/clock.ts";
import { developmentAccount } from "../backend/config/dev-keys.ts";
import { type ImageRequest, JOURNAL, STORE } from "./images.ts";
import { STAGES } from "./options.ts";
import { connectPlayer } from "./player.ts";
import { Random } from "./random.ts";
import { startTestStack } from "./stack.ts";
import { REACH_STAGE } from "./stages.ts";

const STEP_MS = 1_000;
/** The same in every image; a stack that loads an image sets its own. */
const PUBLIC_URL = "http://127.0.0.1:4100";
const PLAYER = developmentAccount(0).privateKey;

const { folder, dataDir, seed, atMs, stage: last } = JSON.parse(process.argv[2]!) as ImageRequest;
let nowMs = atMs;

/**
 * Replaces the randomness and the date of this process. Each call site has its own sequence, so that the number of
 * draws elsewhere does not matter: the number of requests depends on the machine's speed.
 */
function fixWorld(): void {
  const streams = new Map<string, Random>();
  const drawBytes = (count: number): Buffer => {
    const [, , , caller = ""] = new Error().stack!.split("\n");
    const place = /[^/\\]+:\d+:\d+/.exec(caller)?.[0] ?? "";
    const random =
      streams.get(place) ?? new Random(createHash("sha256").update(`${seed} ${place}`).digest().readUInt32LE());
    streams.set(place, random);
    return random.bytes(count);
  };
  const randomBytes = (count: number): Buffer => drawBytes(count);
  const randomUUID = (): string => {
    const hex = drawBytes(16).toString("hex").split("");
    hex[12] = "4";
    hex[16] = "89ab"[Number.parseInt(hex[16]!, 16) % 4]!;
    return hex.join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };
  const getRandomValues = <T extends ArrayBufferView>(view: T): T => {
    drawBytes(view.byteLength).copy(Buffer.from(view.buffer, view.byteOffset, view.byteLength));
    return view;
  };
  Object.assign(nodeCrypto, { randomUUID, randomBytes });
  syncBuiltinESMExports();
  Object.assign(globalThis.crypto, { randomUUID, getRandomValues });
  Date.now = () => nowMs;
}

/** Copies the files of a stack whose backend is closed. */
function copyImage(to: string, credentials: unknown): void {
  mkdirSync(join(to, "chain"), { recursive: true, mode: 0o700 });
  for (const name of [JOURNAL, "deployment.json"]) copyFileSync(join(dataDir, name), join(to, name));
  // A copy without free pages, so that the same rows give the same bytes.
  const database = new Database(join(dataDir, STORE));
  // As if the process that used the store had released it.
  database.exec("UPDATE leases SET place = '', process_id = 0, renewals = 0, expires_at_ms = 0");
  database.prepare("VACUUM INTO ?").run(join(to, STORE));
  database.close();
  writeFileSync(join(to, "credentials.json"), JSON.stringify(credentials));
}

async function buildImages(): Promise<void> {
  const random = new Random(seed);
  fixWorld();
  const clock = { ...systemClock, nowMs: () => nowMs };
  const getBlockTime = (): number => Math.floor(nowMs / 1_000);
  const stack = await startTestStack({ dataDir, clock, getBlockTime, env: { ARCADE_PUBLIC_URL: PUBLIC_URL } });
  const { chain, httpUrl } = stack;
  const urls = { httpUrl, rpcUrl: chain.rpcUrl, publicUrl: PUBLIC_URL };
  const { client, wallet } = connectPlayer(urls, PLAYER, clock.nowMs);
  const advance = async (ms: number): Promise<void> => {
    nowMs += ms;
    await chain.request("evm_mine", [getBlockTime()]);
  };
  const drawBytes = (count: number): Buffer => random.bytes(count);
  for (const stage of STAGES) {
    await REACH_STAGE[stage]({ stack, client, wallet, advance, nowMs: clock.nowMs, drawBytes });
    await stack.restart(async () => copyImage(join(folder, stage), client.signIn.credentials()));
    if (stage === last) break;
    await advance(STEP_MS);
  }
  await stack.close();
}

// Exit when the parent process ends, which closes the pipe.
process.stdin.resume().on("end", () => process.exit(1));
await buildImages();
// Native code may keep threads running.
process.exit(0);
