/** The obvious server of the same endpoints: Express, zod, Kysely with a commit for each statement, viem, one `eth_call`. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Database from "better-sqlite3";
import express, { type Request, type Response } from "express";
import { CamelCasePlugin, Kysely, SqliteDialect } from "kysely";
import {
  createPublicClient,
  encodeFunctionData,
  getAddress,
  type Hex,
  hashTypedData,
  http,
  isAddress,
  parseAbi,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { readSecrets } from "../../../backend/config/config.ts";
import { getServiceKeys } from "../../../backend/config/service-keys.ts";
import { toGameId } from "../../../backend/domain/replay/replay.ts";
import { CALLS } from "../../../backend/domain/typed-data/calls.ts";
import { createTypedData, type TypedData } from "../../../backend/domain/typed-data/messages.ts";
import { serveSide } from "./side.ts";
import type { EndpointOptions } from "./world.ts";

interface Tables {
  accessTokens: { tokenHash: string; wallet: Hex; expiresAtMs: number };
  sessions: {
    sessionId: string;
    wallet: Hex;
    slug: string;
    phase: string;
    score: number;
    gameSessionHash: Hex;
    verified: number;
    preparedAtMs: number | null;
    signedUntilSeconds: number | null;
  };
  signings: { kind: string; key: string; payloadHash: string; createdAtMs: number };
  metadataDocuments: { digest: string; bytes: string; createdAtMs: number };
}

const VIEWS = parseAbi([
  "function isSessionConsumed(address wallet, bytes32 gameSessionHash) view returns (bool)",
  "function mintNonces(address wallet) view returns (uint256)",
]);
const snapshotBody = z.strictObject({ sessionId: z.uuid() });
const registerBody = z.strictObject({
  walletAddress: z
    .string()
    .refine((text) => isAddress(text))
    .transform((text) => getAddress(text)),
  agentName: z.string().min(1).max(32),
  description: z.string().max(280).optional(),
});

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const getUnixSeconds = (): number => Math.floor(Date.now() / 1000);

/** A window of a minute for each key. */
function createLimit(max: number): (key: string) => boolean {
  const windows = new Map<string, { count: number; untilMs: number }>();
  return (key) => {
    const window = windows.get(key);
    const nowMs = Date.now();
    if (window === undefined || window.untilMs < nowMs) windows.set(key, { count: 1, untilMs: nowMs + 60_000 });
    else window.count += 1;
    return (window?.count ?? 1) <= max;
  };
}

function openDatabase(file: string): Kysely<Tables> {
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database }), plugins: [new CamelCasePlugin()] });
}

function openPorts({ rpcUrl, deployment, databaseFile }: EndpointOptions) {
  const db = openDatabase(databaseFile);
  const client = createPublicClient({ transport: http(rpcUrl) });
  const keys = getServiceKeys(readSecrets({}));
  /** The durable row, then the signature. */
  async function sign(privateKey: Hex, typedData: TypedData, key: string) {
    const account = privateKeyToAccount(privateKey);
    const kind = `${typedData.primaryType}:${typedData.domain.verifyingContract}`;
    const { deadline: _, ...facts } = typedData.message;
    const row = { kind, key, payloadHash: sha256(JSON.stringify(facts)), createdAtMs: Date.now() };
    await db
      .insertInto("signings")
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const definition = typedData as unknown as Parameters<typeof account.signTypedData>[0];
    return { signature: await account.signTypedData(definition), digest: hashTypedData(definition) };
  }
  return { db, client, keys, deployment, sign };
}
type Ports = ReturnType<typeof openPorts>;

function createSnapshotHandler({ db, client, keys, deployment, sign }: Ports) {
  const isWithinLimit = createLimit(10);
  return async (request: Request, response: Response) => {
    const token = /^Bearer (\S+)$/.exec(request.get("authorization") ?? "")?.[1] ?? "";
    const access = await db
      .selectFrom("accessTokens")
      .selectAll()
      .where("tokenHash", "=", sha256(token))
      .executeTakeFirst();
    if (access === undefined || access.expiresAtMs < Date.now()) return response.status(401).json({ ok: false });
    const { wallet } = access;
    if (!isWithinLimit(wallet)) return response.status(429).json({ ok: false });
    const body = snapshotBody.safeParse(request.body);
    if (!body.success) return response.status(400).json({ ok: false, issues: body.error.issues });
    const { sessionId } = body.data;
    const session = await db.selectFrom("sessions").selectAll().where("sessionId", "=", sessionId).executeTakeFirst();
    if (session === undefined || session.wallet !== wallet || session.phase !== "ended" || session.verified !== 1)
      return response.status(404).json({ ok: false });
    const { slug, score, gameSessionHash } = session;
    const { rewards, chainId } = deployment;
    const args = [wallet, gameSessionHash] as const;
    if (await client.readContract({ address: rewards, abi: VIEWS, functionName: "isSessionConsumed", args }))
      return response.status(409).json({ ok: false });
    const deadline = getUnixSeconds() + 600;
    await db
      .updateTable("sessions")
      .set({ preparedAtMs: Date.now(), signedUntilSeconds: deadline })
      .where("sessionId", "=", sessionId)
      .execute();
    const gameId = toGameId(slug);
    const message = { wallet, gameId, score: String(score), gameSessionHash, deadline: String(deadline) };
    const typedData = createTypedData("Snapshot", { chainId, verifyingContract: rewards }, message);
    const signed = await sign(keys.score, typedData, gameSessionHash);
    const callArgs = [wallet, gameId, BigInt(score), gameSessionHash, BigInt(deadline), signed.signature] as const;
    const data = encodeFunctionData({ abi: CALLS, functionName: "snapshotScoreSigned", args: callArgs });
    const call = {
      chainId,
      to: rewards,
      value: "0",
      functionName: "snapshotScoreSigned",
      args: callArgs.map(String),
      data,
    };
    return response.json({
      ok: true,
      mode: "sign",
      sessionId,
      scoreDelta: score,
      gameSessionHash,
      ...signed,
      deadline: message.deadline,
      verifyingContract: rewards,
      typedData,
      call,
    });
  };
}

function createRegisterHandler({ db, client, keys, deployment, sign }: Ports) {
  const isWithinLimit = createLimit(20);
  return async (request: Request, response: Response) => {
    if (!isWithinLimit(request.ip ?? "")) return response.status(429).json({ ok: false });
    const body = registerBody.safeParse(request.body);
    if (!body.success) return response.status(400).json({ ok: false, issues: body.error.issues });
    const { walletAddress: wallet, agentName, description } = body.data;
    const { identity, chainId } = deployment;
    const nonce = await client.readContract({
      address: identity,
      abi: VIEWS,
      functionName: "mintNonces",
      args: [wallet],
    });
    const metadata = { name: agentName, description: description ?? `${agentName} plays.`, active: true, wallet };
    const bytes = JSON.stringify(metadata);
    const digest = sha256(bytes);
    await db
      .insertInto("metadataDocuments")
      .values({ digest, bytes, createdAtMs: Date.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const metadataDigest: Hex = `0x${digest}`;
    const deadline = String(getUnixSeconds() + 300);
    const message = { to: wallet, metadataDigest, nonce: String(nonce), deadline };
    const typedData = createTypedData("MintIdentity", { chainId, verifyingContract: identity }, message);
    const signed = await sign(keys.identity, typedData, `${wallet}:${nonce}:${metadataDigest}`);
    const callArgs = [wallet, metadataDigest, BigInt(deadline), signed.signature] as const;
    const data = encodeFunctionData({ abi: CALLS, functionName: "mintIdentityWithSignature", args: callArgs });
    const call = {
      chainId,
      to: identity,
      value: "0",
      functionName: "mintIdentityWithSignature",
      args: callArgs.map(String),
      data,
    };
    const tokenURI = `http://localhost/api/metadata/identity/${digest}.json`;
    return response.json({
      ok: true,
      ...signed,
      deadline,
      verifyingContract: identity,
      typedData,
      call,
      tokenURI,
      metadata,
      nonce: String(nonce),
    });
  };
}

serveSide<EndpointOptions>(async (options) => {
  const ports = openPorts(options);
  const app = express();
  app.set("trust proxy", 1);
  app.use(express.json({ limit: "16kb" }));
  app.post("/api/rewards/snapshot", createSnapshotHandler(ports));
  app.post("/api/identity/register", createRegisterHandler(ports));
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
});
