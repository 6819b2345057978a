import { startServer } from "./http-server.ts";

const RESULTS: { readonly [method: string]: string } = {
  eth_chainId: "0x7a69",
  eth_getCode: "0x60",
  eth_call: `0x${"0".repeat(64)}`,
};
/** The methods that a node answers until it stops, in the order in which commands call them. */
export const ANSWERED_UNTIL_STOP = [0, 1, 2, 3].map((count) => Object.keys(RESULTS).slice(0, count));

/** A node that answers the methods of `answered`, and others with status 429. */
export async function startLimitedNode(answered: readonly string[]) {
  return await startServer((body, response) => {
    const { id, method } = JSON.parse(body) as { id: number; method: string };
    if (!answered.includes(method)) return response.writeHead(429).end("<html>");
    return response.end(JSON.stringify({ jsonrpc: "2.0", id, result: RESULTS[method] }));
  });
}
