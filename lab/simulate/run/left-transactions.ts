/** Transactions that an earlier process has stored: the operator's own, and those of two former operators. */
import { type Address, type Hex, parseGwei, toFunctionSelector } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { packUint } from "../../../backend/adapters/store/numbers.ts";
import { parseSent } from "../chain/chain.ts";
import { ESTIMATED_GAS } from "../chain/node.ts";
import { mark } from "./coverage.ts";
import { toKey } from "./fixtures.ts";
import { FORBIDDEN, findLeft, findOwnPrice, OTHER_PROGRAM } from "./transaction-rows.ts";
import type { World } from "./world.ts";

const COLUMNS = [
  ...["id", "kind", "key", "from", "nonce", "to", "data", "value", "raw", "tx_hash", "max_fee_per_gas"],
  ...["max_priority_fee_per_gas", "status", "created_at_ms", "sent_at_ms"],
];
const INSERT = `insert into transactions (${COLUMNS.map((name) => `"${name}"`).join()})
  values (${COLUMNS.map(() => "?").join()})`;
const TIP_MAX_GWEI = 50;
const PAYOUT = toFunctionSelector("payout(address)");

/** The same ones are left in many runs, and each takes a millisecond. */
const signed = new Map<string, Hex>();

/** A former operator's fees cannot be raised. */
function getFees({ chain, fixtures, plan }: World, isOwn: boolean) {
  const ownPrice = findOwnPrice(plan);
  if (isOwn && ownPrice !== null) return { maxFeePerGas: ownPrice, maxPriorityFeePerGas: ownPrice };
  const maxPriorityFeePerGas = parseGwei(String(Math.min(TIP_MAX_GWEI, chain.traits.tipGwei)));
  const maxFeePerGas = isOwn ? 2n * chain.baseFee + maxPriorityFeePerGas : parseGwei(`${fixtures.config.feeCapGwei}`);
  return { maxFeePerGas, maxPriorityFeePerGas };
}

async function sign(world: World, key: Hex, nonce: number, data: Hex, raises: bigint): Promise<Hex> {
  const { chainId, rewards: to } = world.deployment;
  const { maxFeePerGas, maxPriorityFeePerGas } = getFees(world, key === world.fixtures.keys.operator);
  const fees = { maxFeePerGas: (maxFeePerGas * (8n + raises)) / 8n, maxPriorityFeePerGas };
  const name = [key, nonce, data, ...Object.values(fees)].join();
  const gas = (ESTIMATED_GAS * 5n) / 4n + 10_000n;
  const raw =
    signed.get(name) ??
    (await privateKeyToAccount(key).signTransaction({ ...fees, type: "eip1559", chainId, to, data, gas, nonce }));
  signed.set(name, raw);
  return raw;
}

/** They pay wallets without points, so that they fail in their blocks. */
async function leave(world: World, key: Hex, count: number, isSent: boolean): Promise<void> {
  const { chain, disk, deployment, wallMs } = world;
  const from: Address = privateKeyToAccount(key).address;
  for (let index = 0; index < count; index++) {
    const nonce = chain.getNonce(from) + index;
    // Another transaction takes the nonce of a call that the policy does not allow.
    const isForbidden = key === world.fixtures.formerKeys.withRole && index === 0 && !isSent;
    const other = { hash: OTHER_PROGRAM, from, to: from, data: "0x", nonce } as const;
    if (isForbidden) chain.add({ ...other, maxFeePerGas: parseGwei("1000") });
    const data: Hex = isForbidden
      ? FORBIDDEN
      : `${PAYOUT}${toKey(`wallet without points ${index}`).slice(2, 42).padStart(64, "0")}`;
    // The nodes have a former operator's version before the last one.
    const isRaised = key !== world.fixtures.keys.operator && isSent;
    const first = await sign(world, key, nonce, data, 0n);
    const raw = isRaised ? await sign(world, key, nonce, data, 1n) : first;
    const id = `left ${from} ${nonce}`;
    const fees = Object.values(getFees(world, key === world.fixtures.keys.operator)).map((fee) => packUint(fee));
    const call = [from, nonce, deployment.rewards, data, packUint(0n), raw, parseSent(raw).hash];
    const [status, sentAtMs] = isSent ? ["sent", wallMs] : ["queued", null];
    disk.database.prepare(INSERT).run(id, "payout", id, ...call, ...fees, status!, wallMs, sentAtMs!);
    if (isSent) chain.sendRaw(first);
    if (isSent) world.transactions.onSent(first);
  }
}

/** Call it before a backend starts. */
export async function leaveTransactions(world: World): Promise<void> {
  const fault = findLeft(world.plan);
  if (fault === undefined) return;
  mark("fault", fault.kind);
  const { keys, formerKeys } = world.fixtures;
  await leave(world, keys.operator as Hex, fault.own, fault.isSent);
  await leave(world, formerKeys.withRole, fault.former, fault.isSent);
  await leave(world, formerKeys.withoutRole, fault.dismissed, false);
}
