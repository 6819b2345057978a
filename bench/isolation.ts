/** `npm run bench -- isolation`: tick isolation (P9) alone. */
import { machine } from "./ws/driver.ts";
import { isolation } from "./ws/isolation.ts";

export async function run(): Promise<void> {
  console.log(machine());
  console.log("\n| # | what | side | figure (median) | ours to it | note |\n|---|---|---|---|---|---|");
  await isolation();
  console.log(`\n${machine()}`);
}
