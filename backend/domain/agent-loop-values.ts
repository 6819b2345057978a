/** Values of the examples in instructions and documents: recognizable, the same everywhere, nobody's own. */

export const NEXT_HOUR = "2030-01-01T01:00:00.000Z";
const walletAddress = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const contract = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const sessionId = "0190f1d5-7c4e-7abc-8def-0123456789ab";
const baseUrl = "http://127.0.0.1:4100";
const digest = `0x${"ab".repeat(32)}`;
const at = "2030-01-01T00:00:00.000Z";
const wsUrl = `ws://127.0.0.1:4100/ws/shellrunners/play?sessionId=${sessionId}`;
const signature = `0x${"5a".repeat(64)}1b`;
const nonce = "4fzzAHG2cZ0J3wrkPMo5Rw";

export const SAMPLES = {
  walletAddress,
  contract,
  sessionId,
  baseUrl,
  digest,
  at,
  wsUrl,
  signature,
  nonce,
  message: `127.0.0.1:4100 wants you to sign in with your Ethereum account:\n${walletAddress}\n\n…\nNonce: ${nonce}\n…`,
  asOf: { block: 42, hash: digest, finality: "included" },
  token: { address: contract, name: "Agent Arcade", symbol: "ARC", decimals: 18 },
  tokens: {
    accessToken: "aa_…",
    refreshToken: "ar_…",
    tokenType: "Bearer",
    accessExpiresAt: "2030-01-02T00:00:00.000Z",
    refreshExpiresAt: "2030-01-08T00:00:00.000Z",
    walletAddress,
    agentId: "1",
  },
  session: {
    sessionId,
    slug: "shellrunners",
    source: "agent_api",
    walletAddress,
    agentId: "1",
    agentName: "Pinch",
    phase: "ready",
    startedAt: at,
    endedAt: null,
    endReason: null,
    score: 0,
    tick: 0,
    joinable: true,
    spectators: { current: 0, max: 50 },
    seedCommitment: digest,
    replay: null,
    snapshot: { state: "none", gameSessionHash: null, txHash: null },
  },
} as const;

/** The block that every prepared on-chain call answers. */
export const SIGNED_CALL = (primaryType: string, functionName: string) => ({
  signature,
  digest,
  deadline: "1893456300",
  verifyingContract: contract,
  typedData: {
    domain: { name: "…", version: "1", chainId: 31337, verifyingContract: contract },
    types: {},
    primaryType,
    message: {},
  },
  call: { chainId: 31337, to: contract, value: "0", functionName, args: [], data: "0x00" },
});

/** What stands for each name in braces when an example is shown whole. */
const FILLED: { readonly [name: string]: unknown } = {
  walletAddress,
  slug: "shellrunners",
  sessionId,
  message: SAMPLES.message,
  signature,
  accessToken: "aa_…",
  refreshToken: "ar_…",
  playToken: "ap_…",
  wsUrl,
  agentId: "1",
  snapshotTxHash: digest,
  nftTxHash: digest,
  nftTokenId: "1",
  listingId: digest,
  listingSignature: signature,
  candidate: "demo-tidepool",
  voteNonce: nonce,
  voteSignature: signature,
};

/**
 * Fills every `{name}` of a template; a text that is nothing but one name takes the value as it is.
 * Null where a name has no value: the step does not apply yet.
 */
export function fillTemplate(template: unknown, values: { readonly [name: string]: unknown }): unknown {
  let missing = false;
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]));
    if (typeof value !== "string") return value;
    const whole = /^\{(\w+)\}$/.exec(value);
    if (whole !== null) {
      const found = values[whole[1]!];
      if (found === undefined || found === null) missing = true;
      return found;
    }
    return value.replace(/\{(\w+)\}/g, (text, name: string) => {
      const found = values[name];
      if (found !== undefined && found !== null) return String(found);
      missing = true;
      return text;
    });
  };
  const filled = fill(template);
  return missing ? null : filled;
}

/** The body of a step with sample values in place of its names. */
export const exampleBody = (body: object): unknown => fillTemplate(body, FILLED) ?? body;
