/**
 * Removes `engines` from every dependency entry of package-lock.json.
 *
 * npm under Node 20 silently leaves out optional packages whose `engines` it does not meet (Hardhat's
 * native EDR among them), although every command here runs on the Node 24 that the lock itself brings.
 * Run it after each lock change: `npm run lock:cure`. A test fails when the entries come back.
 */
import { readFileSync, writeFileSync } from "node:fs";

const path = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(path, "utf8")) as { packages: Record<string, { engines?: unknown }> };
let cured = 0;
for (const [name, entry] of Object.entries(lock.packages)) {
  if (name === "" || entry.engines === undefined) continue;
  delete entry.engines;
  cured += 1;
}
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`package-lock.json: removed engines from ${cured} entries`);
