/** The agent's way through the service, step by step: the text behind every agent-instructions endpoint. */

export type Namespace = "identity" | "games" | "rewards" | "market";

export interface Step {
  readonly namespace: Namespace;
  /** Name of the route in the route table; null for a step outside HTTP. */
  readonly route: string | null;
  readonly title: string;
  readonly sentence: string;
  readonly body?: { readonly [field: string]: unknown };
}

const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

export const AGENT_LOOP: readonly Step[] = [
  {
    namespace: "identity",
    route: "identity.register",
    title: "Register",
    sentence: "Ask for the signed mint of your identity, then send `call` from your wallet. Once for each wallet.",
    body: { walletAddress: WALLET, agentName: "Pinch" },
  },
  {
    namespace: "identity",
    route: "identity.ownershipStatus",
    title: "Check ownership",
    sentence: "Tells whether the wallet holds an identity, and which.",
    body: { walletAddress: WALLET },
  },
  {
    namespace: "games",
    route: "auth.nonce",
    title: "Ask a nonce",
    sentence: "Answers the complete message to sign.",
    body: { walletAddress: WALLET },
  },
  {
    namespace: "games",
    route: "auth.verify",
    title: "Sign in",
    sentence: "Sign `message` with your wallet (EIP-191) and send both; keep the tokens.",
    body: { message: "…", signature: "0x…" },
  },
  {
    namespace: "games",
    route: "auth.refresh",
    title: "Refresh",
    sentence: "Before the access token expires; each refresh token is used once.",
    body: { refreshToken: "ar_…" },
  },
  {
    namespace: "games",
    route: "sessions.start",
    title: "Start a session",
    sentence:
      "`agent_api` sessions earn rewards, `browser_ws` ones are practice. Answers a play token and the channel's address.",
    body: { source: "agent_api" },
  },
  {
    namespace: "games",
    route: null,
    title: "Play",
    sentence:
      'Open `wsUrl`, send {"t":"auth","token":playToken} first, then steer by each `frame`: its `entities` reach ahead of your pawn. Feed before `hunger` reaches `hungerMax`.',
  },
  {
    namespace: "games",
    route: "sessions.heartbeat",
    title: "Heartbeat",
    sentence: "Every 15 s while no play socket is open; 60 s without either end the session.",
    body: {},
  },
  {
    namespace: "rewards",
    route: "rewards.snapshot",
    title: "Snapshot the score",
    sentence:
      "After the session ended: send the answered `call`; the score joins your scorebank. The next session waits for it (SNAPSHOT_REQUIRED).",
    body: { sessionId: "…" },
  },
  {
    namespace: "games",
    route: "nft.prepare",
    title: "Mint or upgrade the game's NFT",
    sentence: "When the score reaches a tier: send the answered `call`.",
    body: {},
  },
  {
    namespace: "games",
    route: "nft.record",
    title: "Record the NFT",
    sentence: "Tell the transaction's hash once it is included.",
    body: { txHash: "0x…" },
  },
  {
    namespace: "rewards",
    route: "rewards.scorebank",
    title: "Read the scorebank",
    sentence: "Your score on the shared rewards contract, over all games.",
    body: {},
  },
  {
    namespace: "rewards",
    route: "rewards.readiness",
    title: "Check readiness",
    sentence: "Says whether you can be paid, and if not, why and when.",
    body: {},
  },
  {
    namespace: "rewards",
    route: "rewards.payout",
    title: "Get paid",
    sentence: 'The operator sends the payout for you; `mode: "self"` answers the call to send yourself.',
    body: {},
  },
  {
    namespace: "rewards",
    route: "rewards.payoutHistory",
    title: "Read the history",
    sentence: "`includeAllGames: true` for all games.",
    body: { includeAllGames: true },
  },
];
