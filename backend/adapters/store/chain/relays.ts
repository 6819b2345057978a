/** Relays: transactions that the operator pays for other wallets, within the limits of a day. */
import type { Kysely } from "kysely";
import {
  findExceededBound,
  type SponsorshipBound,
  SponsorshipExceededError,
  type SponsorshipUsage,
} from "../../../../domain/sponsorship.ts";
import type { NewRelay, RelayRow, RelayState, RelayStore } from "../../../ports/store/relays.ts";
import type { Connection } from "../connection.ts";
import type { Db, Schema } from "../schema.ts";
import { defineStatement, keepByColumns } from "../statement.ts";

const MINT = "identity";

type Match = Partial<Pick<RelayRow, "identity" | "ip" | "wallet" | "kind">>;
type OfDay = Match & Pick<RelayRow, "day">;

const selectSums = keepByColumns((columns) =>
  defineStatement<OfDay, { readonly gas: number | null; readonly count: number }>((db, values) =>
    (columns as readonly (keyof OfDay)[]).reduce(
      (query, column) => query.where(column, "=", values[column] as string & number),
      db
        .selectFrom("relays")
        .select(({ fn }) => [fn.sum<number | null>("gas").as("gas"), fn.countAll<number>().as("count")]),
    ),
  ),
);

/** Gas and number of the day's relays that match. */
async function sumRelays(db: Db, day: number, match: Match) {
  const values = { day, ...match };
  const [sums] = (await selectSums(values)(db, values)).rows;
  return { gas: Number(sums!.gas ?? 0), count: Number(sums!.count) };
}

async function readDayTotals(db: Db, day: number): Promise<Pick<SponsorshipUsage, "gas" | "mintGas">> {
  const all = await sumRelays(db, day, {});
  const mints = await sumRelays(db, day, { kind: MINT });
  return { gas: all.gas, mintGas: mints.gas };
}

async function readUsage(
  db: Db,
  { day, identity, ip, wallet }: Pick<RelayRow, "day" | "identity" | "ip" | "wallet">,
): Promise<SponsorshipUsage> {
  const totals = await readDayTotals(db, day);
  const ofIdentity = await sumRelays(db, day, { identity });
  const ofAddress = await sumRelays(db, day, { ip });
  return {
    ...totals,
    gasOfIdentity: ofIdentity.gas,
    gasOfAddress: ofAddress.gas,
    mintsOfWallet: (await sumRelays(db, day, { wallet, kind: MINT })).count,
    mintsOfAddress: (await sumRelays(db, day, { ip, kind: MINT })).count,
  };
}

/**
 * Stores relays inside the transaction that stores their transactions. Throws `SponsorshipExceededError` with every
 * relay that exceeds the bounds when the others are counted; the caller's transaction is then rolled back.
 */
export async function addRelays(db: Db, relays: readonly NewRelay[]): Promise<void> {
  const exceeded = new Map<string, SponsorshipBound>();
  for (const { bounds, ...row } of relays) {
    const bound = findExceededBound(row, await readUsage(db, row), bounds);
    // safeguard: limit-sponsored-calls
    if (bound === null) await db.insertInto("relays").values(row).execute();
    else exceeded.set(row.relayId, bound);
  }
  if (exceeded.size > 0) throw new SponsorshipExceededError(exceeded);
}

const selectStates = (db: Kysely<Schema>) =>
  db
    .selectFrom("relays")
    .innerJoin("transactions", "transactions.id", "relays.transactionId")
    .selectAll("relays")
    .select(["transactions.status", "transactions.txHash", "transactions.block"]);

function toState(row: (RelayRow & RelayState["transaction"]) | undefined): RelayState | null {
  if (row === undefined) return null;
  const { status, txHash, block, ...relay } = row;
  return { relay, transaction: { status, txHash, block } };
}

export function createRelayStore({ read, readOne }: Connection): RelayStore {
  return {
    find: (relayId) =>
      readOne(async (db) => toState(await selectStates(db).where("relays.relayId", "=", relayId).executeTakeFirst())),

    findLatest: (wallet, kind, key) =>
      readOne(async (db) => {
        const query = selectStates(db)
          .where("relays.wallet", "=", wallet)
          .where("relays.kind", "=", kind)
          .where("relays.key", "=", key);
        return toState(await query.orderBy("relays.createdAtMs", "desc").limit(1).executeTakeFirst());
      }),

    readDayTotals: (day) => read((db) => readDayTotals(db, day)),

    readUsage: (of) => read((db) => readUsage(db, of)),
  };
}
