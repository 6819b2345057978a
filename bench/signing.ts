/**
 * `npm run bench -- signing`: signing typed data (P1), hashing it (P2), and checking sign-ins and ballots (P3), with
 * viem, ethers and siwe beside it in the same process, in alternating rounds. Prints the tables of docs/benchmarks.md.
 */
import { cpus, loadavg } from "node:os";
import { hashRows } from "./signing/hash.ts";
import { type Row, runRows } from "./signing/rounds.ts";
import { signRows } from "./signing/sign.ts";
import { verifyRows } from "./signing/verify.ts";

const load = (): string =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(" ");

export async function run(): Promise<void> {
  const [cpu] = cpus();
  console.log(`${cpu?.model ?? "unknown"}, ${cpus().length} cores, Node ${process.version}, load at start ${load()}`);
  console.log("\n| # | what | side | CPU an operation (median) | it to ours |\n|---|---|---|---|---|");
  const groups: readonly (readonly Row[])[] = [...(await signRows()), ...hashRows(), ...(await verifyRows())];
  for (const rows of groups) await runRows(rows);
  console.log(`\nload at end ${load()}`);
}
