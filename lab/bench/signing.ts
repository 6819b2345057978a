/**
 * `npm run lab -- bench signing`: signing typed data (P1) and checking sign-ins (P3), with viem, ethers and siwe beside it
 * in the same process.
 */
import type { Benchmark, Options, Row } from "./compare/types.ts";
import { createSignRows } from "./signing/sign.ts";
import { createVerifyRow } from "./signing/verify.ts";

async function* createRows({ isQuick }: Options): AsyncGenerator<Row> {
  const rounds = isQuick ? 3 : 9;
  yield* await createSignRows(rounds);
  yield await createVerifyRow(rounds);
}

export const benchmark: Benchmark = {
  summary: "signatures and checks of sign-ins beside viem, ethers and siwe",
  rows: createRows,
};
