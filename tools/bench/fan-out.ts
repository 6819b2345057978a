/** `npm run bench -- fan-out`: only the cost of a delivered frame (P7). */
import { describeMachine } from "./ws/driver.ts";
import { runFanOut } from "./ws/fan-out.ts";

export async function run(): Promise<void> {
  console.log(describeMachine());
  console.log("\n| # | what | side | figure (median) | ours to it | note |\n|---|---|---|---|---|---|");
  await runFanOut();
  console.log(`\n${describeMachine()}`);
}
