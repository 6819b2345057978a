/**
 * `npm run lab -- bench signing`: signing typed data (P1), hashing it (P2), and checking sign-ins and ballots (P3), with
 * viem, ethers and siwe beside it in the same process.
 */
import type { Benchmark, Options, Row } from "./compare/types.ts";
import { createHashRows } from "./signing/hash.ts";
import { createSignRows } from "./signing/sign.ts";
import { createVerifyRows } from "./signing/verify.ts";

async function* createRows({ isQuick }: Options): AsyncGenerator<Row> {
  const rounds = isQuick ? 3 : 9;
  yield* await createSignRows(rounds);
  yield* createHashRows(rounds);
  yield* await createVerifyRows(rounds);
}

export const benchmark: Benchmark = {
  summary: "signatures, digests and checks of signatures beside viem, ethers and siwe",
  rows: createRows,
};
