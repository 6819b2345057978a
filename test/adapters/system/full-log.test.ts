import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { text } from "node:stream/consumers";
import { expect } from "chai";

/** On Linux: each write to it fails as on a full disk. */
const FULL = "/dev/full";

/** Writes a line per turn, and more than may be kept. */
const PROGRAM = `
  const { createLog } = await import(${JSON.stringify(import.meta.resolve("../../../backend/adapters/system/log.ts"))});
  const log = createLog("info");
  for (let turn = 0; turn < 20; turn++) {
    log.info({ text: "x".repeat(100_000) }, "a line");
    await new Promise((resolve) => setImmediate(resolve));
  }
  console.log("still runs");
`;

if (existsSync(FULL))
  describe("a log on a full disk", () => {
    it("loses lines, and the process continues", async () => {
      const file = openSync(FULL, "w");
      const child = spawn(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
        stdio: ["ignore", "pipe", file],
      });
      closeSync(file);
      const [output, [code]] = await Promise.all([text(child.stdout!), once(child, "close")]);
      expect({ output, code }).to.deep.equal({ output: "still runs\n", code: 0 });
    });
  });
