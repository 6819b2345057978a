/** `npm run lab -- unused-code`: files, exports and dependencies that nothing uses (knip), by the entries of knip.json. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { defineCommand } from "../scripts/cli/command.ts";
import { EXIT } from "../scripts/cli/failures.ts";
import { root } from "../scripts/start/build.ts";
import { installPackages, labPackages } from "./install-packages.ts";

export const command = defineCommand({
  name: "lab unused-code",
  summary: "finds files, exports and dependencies that nothing uses",
  examples: ["npm run lab -- unused-code"],
  async run(_input, terminal) {
    installPackages(terminal);
    const knip = join(labPackages, "knip/bin/knip.js");
    const { status, stdout } = spawnSync(process.execPath, [knip, "--no-progress"], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
      encoding: "utf8",
    });
    const findings = stdout.trim();
    terminal.print(findings === "" ? "nothing is unused" : findings);
    terminal.printJson({ ok: status === 0, findings: findings.split("\n").filter(Boolean) });
    return status === 0 ? EXIT.ok : EXIT.error;
  },
});
