import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { privateKeyToAddress } from "viem/accounts";
import { readPrivateKey } from "../../backend/config/private-keys.ts";
import { command } from "../../scripts/admin.ts";
import { callCommand } from "../helpers/commands.ts";

describe("admin keys create", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "arcade-keys-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const create = (...words: string[]) => callCommand(command, ["keys", "create", ...words]);

  it("writes different keys that only their owner can read, and prints addresses but no keys", async () => {
    const files = ["a.key", "new/b.key"].map((name) => join(folder, name));
    const { code, json, err } = await create(...files, "--json");
    const keys = files.map((file) => readPrivateKey("ARCADE_SCORE_SIGNER_KEY", `@${file}`));
    expect(code).to.equal(0);
    expect(keys[0]).to.not.equal(keys[1]);
    expect(json).to.deep.equal({
      ok: true,
      keys: files.map((file, index) => ({ file, address: privateKeyToAddress(keys[index]!) })),
    });
    for (const [index, file] of files.entries()) {
      expect((await stat(file)).mode & 0o777).to.equal(0o600);
      expect(err).to.include(privateKeyToAddress(keys[index]!)).and.not.include(keys[index]!.slice(2));
    }
  });

  it("does not replace a file, and then writes none of the others", async () => {
    const kept = join(folder, "kept.key");
    await writeFile(kept, "mine");
    const other = join(folder, "other.key");
    const { code, err } = await create(other, kept);
    expect(code).to.equal(2);
    expect(err).to.include(`FILE: expected a new file, ${kept} exists`);
    expect([await readFile(kept, "utf8"), existsSync(other)]).to.deep.equal(["mine", false]);
  });

  it("writes nothing if a file is given twice", async () => {
    const file = join(folder, "twice.key");
    const { code, err } = await create(file, join(folder, ".", "twice.key"));
    expect(code).to.equal(2);
    expect(err).to.include(`FILE: expected different files, received ${file} twice`);
    expect(existsSync(file)).to.equal(false);
  });

  it("lists the keys that it has written when a later one fails", async () => {
    const [first, other] = [join(folder, "first.key"), join(folder, "first.key", "below.key")];
    const { code, out, err } = await create(first, other);
    expect(code).to.equal(1);
    const address = privateKeyToAddress(readPrivateKey("ARCADE_SCORE_SIGNER_KEY", `@${first}`));
    expect(out + err)
      .to.include(address)
      .and.include(`${other}: the key cannot be written (E`);
  });
});
