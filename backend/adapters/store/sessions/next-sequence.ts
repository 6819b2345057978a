/** The sequence numbers of a wallet's sessions. The rewards contract accepts each once. */
import type { Address } from "viem";
import { IS_SNAPSHOT } from "../conditions.ts";
import { unpackUint } from "../numbers.ts";
import type { Db, SessionTable } from "../schema.ts";
import { defineStatement } from "../statement.ts";

type OfWallet = { readonly wallet: Address };
type LastSequence = { readonly last: SessionTable["sequence"] };

const selectLastStored = defineStatement<OfWallet, LastSequence>((db, { wallet }) =>
  db
    .selectFrom("sessions")
    .select((eb) => eb.fn.max("sequence").as("last"))
    .where("wallet", "=", wallet),
);

const selectLastOnChain = defineStatement<OfWallet, LastSequence>((db, { wallet }) =>
  db
    .selectFrom("chainEvents")
    .select((eb) => eb.fn.max("sequence").as("last"))
    .where("wallet", "=", wallet)
    .where(IS_SNAPSHOT),
);

/** One above every number that the wallet has used here or on chain; the first one is 1. */
export async function getNextSequence(db: Db, wallet: Address): Promise<bigint> {
  const [stored] = (await selectLastStored(db, { wallet })).rows;
  const [onChain] = (await selectLastOnChain(db, { wallet })).rows;
  const used = [stored!.last, onChain!.last].map((last) => (last === null ? 0n : unpackUint(last)));
  return 1n + used.reduce((a, b) => (a > b ? a : b));
}
