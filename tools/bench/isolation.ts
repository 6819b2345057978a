/** `npm run bench -- isolation`: only tick isolation (P9). */
import { describeMachine } from "./ws/driver.ts";
import { runIsolation } from "./ws/isolation.ts";

export async function run(): Promise<void> {
  console.log(describeMachine());
  console.log("\n| # | what | side | figure (median) | ours to it | note |\n|---|---|---|---|---|---|");
  await runIsolation();
  console.log(`\n${describeMachine()}`);
}
