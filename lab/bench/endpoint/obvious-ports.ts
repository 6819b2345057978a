/** What the handlers of the obvious server share: database, node, keys, limits and the durable record of a signature. */
import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import { CamelCasePlugin, Kysely, SqliteDialect } from "kysely";
import { createPublicClient, type Hex, hashTypedData, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { getDevelopmentKeys } from "../../../backend/config/service-keys.ts";
import type { TypedData } from "../../../domain/typed-data/messages.ts";
import type { ServiceOptions } from "../server/service.ts";

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
    agentId: string;
    onChain: number;
    preparedAtMs: number | null;
    signedUntilSeconds: number | null;
  };
  signings: { kind: string; key: string; payloadHash: string; createdAtMs: number };
  metadataDocuments: { digest: string; bytes: string; createdAtMs: number };
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
export const getUnixSeconds = (): number => Math.floor(Date.now() / 1000);

/** A window of a minute for each key. */
export function createLimit(max: number): (key: string) => boolean {
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

export function openPorts({ rpcUrl, deployment, databaseFile }: ServiceOptions) {
  const db = openDatabase(databaseFile);
  const client = createPublicClient({ transport: http(rpcUrl) });
  const keys = getDevelopmentKeys();
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
export type Ports = ReturnType<typeof openPorts>;

/** The wallet of a request's token; null where it is not valid. */
export async function findWallet({ db }: Ports, authorization: string | undefined): Promise<Hex | null> {
  const token = /^Bearer (\S+)$/.exec(authorization ?? "")?.[1] ?? "";
  const access = await db
    .selectFrom("accessTokens")
    .selectAll()
    .where("tokenHash", "=", sha256(token))
    .executeTakeFirst();
  return access === undefined || access.expiresAtMs < Date.now() ? null : access.wallet;
}
