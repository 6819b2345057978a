import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { readAddressesFile } from "../../backend/app/addresses-file.ts";

const ADDRESS = `0x${"1".repeat(40)}`;
const DEPLOYMENT = {
  chainId: 84_532,
  startBlock: 7,
  identity: ADDRESS,
  rewards: ADDRESS,
  token: ADDRESS,
  market: null,
  nft: { flappybots: ADDRESS },
};

describe("an addresses file", () => {
  const folder = mkdtempSync(join(tmpdir(), "arcade-addresses-"));
  after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "84532.json");
  const read = (text: string): Promise<unknown> => {
    writeFileSync(path, text);
    return readAddressesFile(path).catch(({ message }) => message);
  };

  it("is read with a byte-order mark, as editors on Windows write it", async () => {
    expect(await read(`\ufeff${JSON.stringify(DEPLOYMENT)}`)).to.deep.equal(DEPLOYMENT);
  });

  it("is absent only if there is no file at its path", async () => {
    expect(await readAddressesFile(join(folder, "none.json"))).to.equal(null);
    expect(await readAddressesFile(folder).catch(({ code }) => code)).to.equal("EISDIR");
  });

  it("is rejected with its path and what is wrong", async () => {
    const expected = `${path}: expected an addresses file, as npm run deploy writes it; received `;
    expect(await read("{")).to.equal(`${expected}a file that is not JSON. Write it again with npm run deploy.`);
    const rest = "Set the path of the right file.";
    for (const text of ["{}", "null", "[]", '"0x"'])
      expect(await read(text), text).to.equal(`${expected}one without a valid chainId. ${rest}`);
    for (const [field, value] of [
      ["startBlock", "7"],
      ["rewards", "0x12"],
      ["identity", undefined],
      ["nft", undefined],
      ["nft", { flappybots: null }],
    ] as const)
      expect(await read(JSON.stringify({ ...DEPLOYMENT, [field]: value })), field).to.equal(
        `${expected}one without a valid ${field}. ${rest}`,
      );
  });
});
