/**
 * `npm run bench -- signing`: signing typed data (P1), hashing it (P2), and checking sign-ins and ballots (P3), with
 * viem, ethers and siwe beside it in the same process, in alternating rounds. Prints the tables of docs/benchmarks.md.
 */
import { cpus, loadavg } from "node:os";
import { createHashRows } from "./signing/hash.ts";
import { type Row, runRows } from "./signing/rounds.ts";
import { createSignRows } from "./signing/sign.ts";
import { createVerifyRows } from "./signing/verify.ts";

const formatLoad = (): string =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(" ");

export async function run(): Promise<void> {
  const [cpu] = cpus();
  console.log(
    `${cpu?.model ?? "unknown"}, ${cpus().length} cores, Node ${process.version}, load at start ${formatLoad()}`,
  );
  console.log("\n| # | what | side | CPU an operation (median) | it to ours |\n|---|---|---|---|---|");
  const groups: readonly (readonly Row[])[] = [
    ...(await createSignRows()),
    ...createHashRows(),
    ...(await createVerifyRows()),
  ];
  for (const rows of groups) await runRows(rows);
  console.log(`\nload at end ${formatLoad()}`);
}
