/** A remote signer that holds one key and signs over JSON-RPC for clients with the token. Its parent sets faults. */
import type { ServerResponse } from "node:http";
import type { Hex, TransactionSerializableEIP1559 } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount, setSignEntropy } from "viem/accounts";
import { getEnvironment } from "../../../backend/config/environment.ts";
import { startServer } from "../../helpers/http-server.ts";

export type SignerFault =
  | "none"
  | "black-hole"
  | "error"
  | "other-key"
  | "other-message"
  | "random"
  | "not-json"
  | "null-error";

interface RpcTransaction {
  readonly to: Hex;
  readonly data: Hex;
  readonly [quantity: string]: Hex;
}

const { SIGNER_KEY, SIGNER_TOKEN: TOKEN } = getEnvironment();
const KEY = SIGNER_KEY as Hex;
const OTHER_KEY: Hex = `0x${"77".repeat(32)}`;
let fault: SignerFault = "none";

function signTransaction(account: PrivateKeyAccount, { to, data, ...quantities }: RpcTransaction): Promise<Hex> {
  const read = (name: string): bigint => BigInt(quantities[name]!);
  const transaction: TransactionSerializableEIP1559 = {
    type: "eip1559",
    to,
    data,
    chainId: Number(read("chainId")),
    nonce: Number(read("nonce")),
    value: read("value") + (fault === "other-message" ? 1n : 0n),
    gas: read("gas"),
    maxFeePerGas: read("maxFeePerGas"),
    maxPriorityFeePerGas: read("maxPriorityFeePerGas"),
  };
  return account.signTransaction(transaction);
}

async function sign(method: string, params: readonly unknown[]): Promise<Hex> {
  // Cannot be undone: a signer that has been random stays so.
  if (fault === "random") setSignEntropy(true);
  const account = privateKeyToAccount(fault === "other-key" ? OTHER_KEY : KEY);
  if (method === "eth_signTransaction") return await signTransaction(account, params[0] as RpcTransaction);
  const typedData = JSON.parse(params[1] as string);
  if (fault === "other-message") typedData.message.deadline = "1";
  return await account.signTypedData(typedData);
}

async function respond(body: string, response: ServerResponse): Promise<void> {
  const { id, method, params } = JSON.parse(body);
  const answer =
    fault === "error"
      ? { error: { code: -32_000, message: KEY } }
      : { result: await sign(method, params), ...(fault === "null-error" && { error: null }) };
  response.end(fault === "not-json" ? "<html>" : JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}

const { port } = await startServer(async (body, response, request) => {
  if (fault === "black-hole") return;
  if (request.headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end();
  await respond(body, response);
});
process.on("message", (next: SignerFault) => {
  fault = next;
  process.send!("ready");
});
process.send!({ port });
