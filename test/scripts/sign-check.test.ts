import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import { readGiven } from "../../scripts/sign-check/given.ts";
import { root } from "../../scripts/start/build.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";

const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

describe("npm run sign-check", () => {
  let suite: Suite;
  let folder: string;
  // The answer of a prepared call, as an agent would save it.
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came
  let response: any;
  before(async () => {
    suite = await startSuite();
    folder = await mkdtemp(join(tmpdir(), "arcade-sign-check-"));
    const body = { walletAddress: WALLET, agentName: "Pinch" };
    response = (await suite.request("POST", "/api/identity/register", { body })).body;
  });
  after(async () => {
    await suite.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function check(value: unknown, ...more: string[]) {
    const file = join(folder, "given.json");
    await writeFile(file, typeof value === "string" ? value : JSON.stringify(value));
    const args = ["scripts/sign-check.ts", file, "--url", suite.httpUrl, "--json", ...more];
    return new Promise<{ code: number; out: string; err: string }>((resolve) => {
      execFile(process.execPath, args, { cwd: root, env: { ...process.env, NO_COLOR: "1" } }, (fault, out, err) =>
        resolve({ code: typeof fault?.code === "number" ? fault.code : 0, out, err }),
      );
    });
  }

  it("agrees with a response of the service, and exits 0", async () => {
    const { code, out, err } = await check(response);
    expect(code, err).to.equal(0);
    const found = JSON.parse(out);
    expect(found).to.include({ ok: true, matches: true, digest: response.digest });
    expect(found.expectedSigners).to.deep.equal([developmentServiceAccount(3).address]);
    for (const words of [found.typeString, found.structHash, found.digest, found.recovered, "AgentIdentity"])
      expect(err).to.include(words);
  });

  it("names the field that differs, and exits 1", async () => {
    const { typedData, signature } = response;
    const changed = { ...typedData, domain: { ...typedData.domain, chainId: 8453 } };
    const { code, out, err } = await check(changed, "--signature", signature);
    expect(code).to.equal(1);
    const found = JSON.parse(out);
    expect(found.differences).to.deep.equal([{ field: "domain.chainId", expected: "31337", received: "8453" }]);
    expect(found.signedInstead).to.deep.equal({ field: "domain.chainId", given: "8453", signed: "31337" });
    expect(err).to.match(/domain\.chainId: the chain expects 31337, the payload says 8453/);
  });

  it("says what is missing", async () => {
    const given = async (value: unknown, ...more: (string | undefined)[]) => {
      const file = join(folder, "other.json");
      await writeFile(file, typeof value === "string" ? value : JSON.stringify(value));
      return readGiven(file, ...more).catch((fault: Error) => fault.message);
    };
    expect(await given(response.typedData)).to.match(/Expected a signature/);
    expect(await given(response.typedData, "0x123")).to.match(/Expected a signature/);
    expect(await given({ a: 1 })).to.match(/holds no typed data/);
    expect(await given("{")).to.match(/is not JSON/);
    expect(await given(response, undefined, "me")).to.match(/expected an address/);
    expect(await readGiven(join(folder, "none.json")).catch((fault: Error) => fault.message)).to.match(
      /cannot be read/,
    );
    expect(await given(response.typedData, response.signature, WALLET)).to.deep.include({
      signature: response.signature,
      expectedSigner: WALLET,
    });
  });
});
