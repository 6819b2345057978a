/** P1: from typed arguments to 65 bytes of hex, in one thread. */
import { Wallet } from "ethers";
import { hexToBytes } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Ecdsa, loadNative, loadWasm } from "../../../backend/adapters/signer/ecdsa.ts";
import { hashTypedData } from "../../../backend/adapters/signer/hash-typed-data.ts";
import { createLocalSigner } from "../../../backend/adapters/signer/local.ts";
import { toEthersTypes } from "./hash.ts";
import { PAYLOADS, precompute } from "./payloads.ts";
import type { Row } from "./rounds.ts";

const privateKey = `0x${"42".repeat(32)}` as const;
const what = "sign, Snapshot";

export async function createSignRows(): Promise<readonly (readonly Row[])[]> {
  const payload = precompute(PAYLOADS.Snapshot!);
  const account = privateKeyToAccount(privateKey);
  const wallet = new Wallet(privateKey);
  const peers: readonly Row[] = [
    { id: "P1", what, side: "viem", work: (n) => account.signTypedData(payload(n) as never) },
    {
      id: "P1",
      what,
      side: "ethers",
      work: (n) => wallet.signTypedData(payload(n).domain, toEthersTypes(payload(n)), payload(n).message),
    },
  ];
  const expected = await account.signTypedData(payload(1) as never);
  const ours = async (build: Ecdsa): Promise<Row> => {
    const signer = createLocalSigner(privateKey, build);
    if ((await signer.sign(payload(1))).signature !== expected) throw new Error("The signatures differ");
    return { id: "P1", what, side: `Agent Arcade, ${build.build}`, work: (n) => signer.sign(payload(n)) };
  };
  /** The cost of the elliptic curve operation only. */
  const createEcdsaRow = (build: Ecdsa): Row => {
    const [key, digest] = [hexToBytes(privateKey), hashTypedData(payload(1))];
    return { id: "P1", what: "only the library's ECDSA", side: build.build, work: () => build.sign(digest, key) };
  };
  const [wasm, native] = [await loadWasm(), loadNative()];
  const groups = [[await ours(wasm), ...peers, createEcdsaRow(wasm)]];
  if (native !== null) groups.push([await ours(native), ...peers, createEcdsaRow(native)]);
  return groups;
}
