/** Methods of nodes whose result is a number; some nodes return null or "0x" while they start. */
const QUANTITY_METHODS: ReadonlySet<string> = new Set([
  "eth_blockNumber",
  "eth_chainId",
  "eth_estimateGas",
  "eth_gasPrice",
  "eth_getBalance",
  "eth_getTransactionCount",
  "eth_maxPriorityFeePerGas",
]);

/** What is wrong with a node's result that must be a number; null if nothing is. */
export function findQuantityFault(method: string, result: unknown): string | null {
  if (!QUANTITY_METHODS.has(method) || /^(0x[\da-f]+|\d+)$/i.test(String(result))) return null;
  return `${JSON.stringify(result ?? null).slice(0, 40)} instead of a number for ${method}`;
}
