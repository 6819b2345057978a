/** Whether the chain is alive, the clocks agree, and the operator's transactions get into blocks. */
import { type CheckResult, type DoctorTarget, error, ok, skipped, warning } from "./target.ts";

/** Deadlines are minutes long; a clock that is off by this much starts to invalidate signatures. */
const DRIFT_SECONDS = { warning: 15, error: 60 };
/** The supported networks make a block at least every 12 s. */
const MAX_BLOCK_AGE_SECONDS = 120;

export async function checkClock({ client, isLocal, nowMs }: DoctorTarget): Promise<readonly CheckResult[]> {
  const block = await client.getBlock();
  const ahead = Number(block.timestamp) - nowMs() / 1000;
  const message = `block ${block.number} is ${Math.abs(ahead).toFixed(0)} s ${ahead > 0 ? "ahead of" : "behind"} this machine`;
  const next = "set this machine's clock by NTP; if it is right, use another node";
  if (ahead > DRIFT_SECONDS.error)
    return [error("clock", message, isLocal ? "expected after `npm run chain -- travel`" : next)];
  if (ahead > DRIFT_SECONDS.warning) return [warning("clock", message, next)];
  // A local chain makes blocks only for transactions.
  if (isLocal || -ahead <= MAX_BLOCK_AGE_SECONDS) return [ok("clock", message)];
  return [error("clock", `${message}: the clock is fast or the node has stopped`, next)];
}

export async function checkPending({ client, keys }: DoctorTarget): Promise<readonly CheckResult[]> {
  if (keys.operator === null)
    return [skipped("pending", "the operator's pending transactions were not checked", "set ARCADE_OPERATOR_KEY")];
  const { address } = keys.operator;
  const [latest, pending] = await Promise.all([
    client.getTransactionCount({ address, blockTag: "latest" }),
    client.getTransactionCount({ address, blockTag: "pending" }),
  ]);
  if (pending === latest) return [ok("pending", `the operator has no transaction waiting (nonce ${latest})`)];
  const finding = `the operator has ${pending - latest} transactions waiting, nonces ${latest} to ${pending - 1}`;
  const next = "the running backend raises their fees; if it does not run, start it with this key";
  return [warning("pending", finding, next)];
}
