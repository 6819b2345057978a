/** `npm run bench -- fan-out`: what a delivered frame costs (P7) alone. */
import { machine } from "./ws/driver.ts";
import { fanOutRows } from "./ws/fan-out.ts";

export async function run(): Promise<void> {
  console.log(machine());
  console.log("\n| # | what | side | figure (median) | ours to it | note |\n|---|---|---|---|---|---|");
  await fanOutRows();
  console.log(`\n${machine()}`);
}
