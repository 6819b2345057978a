import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import { readSignedPayload } from "../../scripts/sign-check/payload.ts";
import { root } from "../../scripts/start/build.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";

const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

describe("npm run sign-check", () => {
  let stack: TestStack;
  let folder: string;
  // A prepared call's response, as an agent would save it.
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came
  let response: any;
  before(async () => {
    stack = await startTestStack();
    folder = await mkdtemp(join(tmpdir(), "arcade-sign-check-"));
    const body = { walletAddress: WALLET, agentName: "Pinch" };
    response = (await stack.request("POST", "/api/identity/register", { body })).body;
  });
  after(async () => {
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function check(value: unknown, ...more: string[]) {
    const file = join(folder, "given.json");
    await writeFile(file, typeof value === "string" ? value : JSON.stringify(value));
    const args = ["scripts/run.mjs", "sign-check", file, "--url", stack.httpUrl, "--json", ...more];
    return new Promise<{ code: number; out: string; err: string }>((resolve) => {
      execFile(process.execPath, args, { cwd: root, env: { ...process.env, NO_COLOR: "1" } }, (error, out, err) =>
        resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err }),
      );
    });
  }

  it("accepts a response of the service and exits with code 0", async () => {
    const { code, out, err } = await check(response);
    expect(code, err).to.equal(0);
    const found = JSON.parse(out);
    expect(found).to.include({ ok: true, matches: true, digest: response.digest });
    expect(found.expectedSigners).to.deep.equal([developmentServiceAccount(3).address]);
    for (const expectedText of [found.typeString, found.structHash, found.digest, found.recovered, "AgentIdentity"])
      expect(err).to.include(expectedText);
  });

  it("shows the message and the call in a wallet's words", async () => {
    const { out, err } = await check(response);
    const { shown } = JSON.parse(out);
    expect(shown.message.intent).to.equal("Let a wallet mint its agent identity");
    expect(shown.call.intent).to.equal("Mint your agent identity");
    const deadline = new Date(Number(response.deadline) * 1000).toISOString().replace(".000Z", "Z");
    expect(shown.call.fields).to.deep.include({ label: "Valid until", text: deadline });
    expect(shown.call.fields.map(({ label }: { label: string }) => label)).to.deep.equal([
      "To",
      "Profile",
      "Valid until",
    ]);
    for (const text of ["Mint your agent identity", deadline, WALLET]) expect(err).to.include(text);
  });

  it("reports the field that differs and exits with code 1", async () => {
    const { typedData, signature } = response;
    const changed = { ...typedData, domain: { ...typedData.domain, chainId: 8453 } };
    const { code, out, err } = await check(changed, "--signature", signature);
    expect(code).to.equal(1);
    const found = JSON.parse(out);
    expect(found.differences).to.deep.equal([{ field: "domain.chainId", expected: "31337", received: "8453" }]);
    expect(found.signedInstead).to.deep.equal({ field: "domain.chainId", given: "8453", signed: "31337" });
    expect(err).to.match(/domain\.chainId: the chain expects 31337, the payload has 8453/);
  });

  it("reports what a payload lacks", async () => {
    const given = async (value: unknown, ...more: (string | undefined)[]) => {
      const file = join(folder, "other.json");
      await writeFile(file, typeof value === "string" ? value : JSON.stringify(value));
      return readSignedPayload(file, ...more).catch((error: Error) => error.message);
    };
    expect(await given(response.typedData)).to.match(/Expected a signature/);
    expect(await given(response.typedData, "0x123")).to.match(/Expected a signature/);
    expect(await given({ a: 1 })).to.match(/has no typed data/);
    expect(await given("{")).to.match(/is not JSON/);
    expect(await given(response, undefined, "me")).to.match(/expected an address/);
    expect(await readSignedPayload(join(folder, "none.json")).catch((error: Error) => error.message)).to.match(
      /cannot be read/,
    );
    const { request, call } = (await given(response, undefined, WALLET)) as Awaited<
      ReturnType<typeof readSignedPayload>
    >;
    expect(request).to.deep.include({ signature: response.signature, expectedSigner: WALLET });
    expect(call).to.deep.equal(response.call);
  });
});
