import { RpcError } from "./rpc-error.ts";

/** The last second that every program can show: the end of the year 9999. */
const TIME_MAX = 253_402_300_799;

/** The maximum number of blocks of one `hardhat_mine`: each is journaled. */
const MINE_MAX = 10_000;

const isWhole = (value: number): boolean => Number.isInteger(value) && value >= 0;

/** Throws an `RpcError` for a request that would move the chain to a time at which clients break. */
export async function checkTime(
  method: string,
  params: readonly unknown[],
  getNextTimestamp: () => Promise<number>,
): Promise<void> {
  const isRelative = method === "evm_increaseTime" || method === "hardhat_mine";
  if (!isRelative && method !== "evm_setNextBlockTimestamp" && !(method === "evm_mine" && params.length > 0)) return;
  const [one, two] = [Number(params[0] ?? 1), Number(params[1] ?? 1)];
  if (method === "hardhat_mine" && !(isWhole(one) && one <= MINE_MAX && isWhole(two))) {
    const received = JSON.stringify(params);
    const expected = `0 to ${MINE_MAX} blocks and whole seconds between them`;
    throw new RpcError(-32_602, `hardhat_mine: expected ${expected}, received ${received}`);
  }
  const seconds = method === "hardhat_mine" ? one * two : one;
  const time = isRelative ? (await getNextTimestamp()) + seconds : seconds;
  if (time >= 0 && time <= TIME_MAX) return;
  throw new RpcError(-32_602, `${method}: expected a time up to ${TIME_MAX} (the end of 9999), received ${time}`);
}
