/** P1: from typed arguments to 65 bytes of hex, in one thread. */
import { Wallet } from "ethers";
import { hexToBytes } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Ecdsa, openNative, openWasm } from "../../backend/adapters/signer/ecdsa.ts";
import { hashTypedData } from "../../backend/adapters/signer/hash-typed-data.ts";
import { createLocalSigner } from "../../backend/adapters/signer/local.ts";
import { ethersTypesOf } from "./hash.ts";
import { PAYLOADS, prepare } from "./payloads.ts";
import type { Row } from "./rounds.ts";

const privateKey = `0x${"42".repeat(32)}` as const;
const what = "sign, Snapshot";

export async function signRows(): Promise<readonly (readonly Row[])[]> {
  const payload = prepare(PAYLOADS.Snapshot!);
  const account = privateKeyToAccount(privateKey);
  const wallet = new Wallet(privateKey);
  const peers: readonly Row[] = [
    { id: "P1", what, side: "viem", work: (n) => account.signTypedData(payload(n) as never) },
    {
      id: "P1",
      what,
      side: "ethers",
      work: (n) => wallet.signTypedData(payload(n).domain, ethersTypesOf(payload(n)), payload(n).message),
    },
  ];
  const expected = await account.signTypedData(payload(1) as never);
  const ours = async (build: Ecdsa): Promise<Row> => {
    const signer = createLocalSigner(privateKey, build);
    if ((await signer.sign(payload(1))).signature !== expected) throw new Error("The signatures differ");
    return { id: "P1", what, side: `Agent Arcade, ${build.build}`, work: (n) => signer.sign(payload(n)) };
  };
  /** What the elliptic curve alone takes. */
  const floor = (build: Ecdsa): Row => {
    const [key, digest] = [hexToBytes(privateKey), hashTypedData(payload(1))];
    return { id: "P1", what: "the library's ECDSA alone", side: build.build, work: () => build.sign(digest, key) };
  };
  const [wasm, native] = [await openWasm(), openNative()];
  const groups = [[await ours(wasm), ...peers, floor(wasm)]];
  if (native !== null) groups.push([await ours(native), ...peers, floor(native)]);
  return groups;
}
