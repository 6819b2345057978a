import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { startProcess } from "../../lab/drills/support/process.ts";
import { waitUntil } from "../helpers/wait-until.ts";

/** Modules of the service and its packages: more than the command alone has. */
const MODULES_MIN = 500;

describe("the compiled modules of a server", () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "arcade-compiled-"));
  });
  after(() => rm(dir, { recursive: true, force: true }));

  it("are kept even if it is killed, so that the next start does not compile them again", async () => {
    const countFiles = async (): Promise<number> => {
      const entries = await readdir(join(dir, "cache"), { recursive: true, withFileTypes: true }).catch(() => []);
      return entries.filter((entry) => entry.isFile()).length;
    };
    const env = { NODE_COMPILE_CACHE: join(dir, "cache") };
    const server = await startProcess({ dataDir: join(dir, "data"), env });
    try {
      await waitUntil(async () => (await countFiles()) > MODULES_MIN);
    } finally {
      server.kill("SIGKILL");
      await server.exited;
    }
    expect(await countFiles()).to.be.greaterThan(MODULES_MIN);
  });
});
