/** The obvious server of the same endpoints: Express, zod, Kysely with a commit for each statement, viem, one `eth_call`. */
import express, { type Request, type Response } from "express";
import { encodeFunctionData, getAddress, type Hex, isAddress, parseAbi } from "viem";
import { z } from "zod";
import { toGameId } from "../../../domain/replay/replay.ts";
import { CALLS } from "../../../domain/typed-data/calls.ts";
import { createTypedData } from "../../../domain/typed-data/messages.ts";
import { listen, serveSide } from "../server/process.ts";
import type { ServiceOptions } from "../server/service.ts";
import { createLimit, findWallet, getUnixSeconds, openPorts, type Ports, sha256 } from "./obvious-ports.ts";

const VIEWS = parseAbi([
  "function isSessionConsumed(address wallet, bytes32 gameSessionHash) view returns (bool)",
  "function mintNonces(address wallet) view returns (uint256)",
  "function primaryIdentity(address wallet) view returns (uint256)",
]);
const snapshotBody = z.strictObject({ sessionId: z.uuid() });
const nftBody = z.strictObject({});
const registerBody = z.strictObject({
  walletAddress: z
    .string()
    .refine((text) => isAddress(text))
    .transform((text) => getAddress(text)),
  agentName: z.string().min(1).max(32),
  description: z.string().max(280).optional(),
});

function createSnapshotHandler(ports: Ports) {
  const { db, client, keys, deployment, sign } = ports;
  const isWithinLimit = createLimit(10);
  return async (request: Request, response: Response) => {
    const wallet = await findWallet(ports, request.get("authorization"));
    if (wallet === null) return response.status(401).json({ ok: false });
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

function createNftHandler(ports: Ports) {
  const { db, client, keys, deployment, sign } = ports;
  const isWithinLimit = createLimit(10);
  return async (request: Request, response: Response) => {
    const wallet = await findWallet(ports, request.get("authorization"));
    if (wallet === null) return response.status(401).json({ ok: false });
    if (!isWithinLimit(wallet)) return response.status(429).json({ ok: false });
    const body = nftBody.safeParse(request.body);
    if (!body.success) return response.status(400).json({ ok: false, issues: body.error.issues });
    const slug = String(request.params.slug);
    const contract = deployment.nft[slug];
    if (contract === undefined) return response.status(404).json({ ok: false });
    const { identity, chainId } = deployment;
    const args = [wallet] as const;
    const id = await client.readContract({ address: identity, abi: VIEWS, functionName: "primaryIdentity", args });
    const best = await db
      .selectFrom("sessions")
      .selectAll()
      .where("wallet", "=", wallet)
      .where("slug", "=", slug)
      .where("agentId", "=", String(id))
      .where("onChain", "=", 1)
      .orderBy("score", "desc")
      .executeTakeFirst();
    if (best === undefined) return response.status(404).json({ ok: false });
    const agentId = String(id);
    const score = String(best.score);
    const deadline = String(getUnixSeconds() + 300);
    const message = { wallet, agentId, score, deadline };
    const typedData = createTypedData("MintGameNft", { chainId, verifyingContract: contract, slug }, message);
    const signed = await sign(keys.nft[slug]!, typedData, `${wallet}:${agentId}:${score}`);
    const callArgs = [wallet, id, BigInt(score), BigInt(deadline), signed.signature] as const;
    const data = encodeFunctionData({ abi: CALLS, functionName: "mintSigned", args: callArgs });
    const call = { chainId, to: contract, value: "0", functionName: "mintSigned", args: callArgs.map(String), data };
    const result = { action: "mint", score: best.score, tier: 1, tokenId: null, ...signed, deadline };
    return response.json({ ok: true, ...result, verifyingContract: contract, typedData, call });
  };
}

serveSide<ServiceOptions>(async (options) => {
  const ports = openPorts(options);
  const app = express();
  app.set("trust proxy", 1);
  app.use(express.json({ limit: "16kb" }));
  app.post("/api/rewards/snapshot", createSnapshotHandler(ports));
  app.post("/api/identity/register", createRegisterHandler(ports));
  app.post("/api/games/:slug/nft/prepare", createNftHandler(ports));
  return await listen(app);
});
