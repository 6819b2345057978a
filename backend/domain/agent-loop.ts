/** The agent's way through the service, step by step: the text behind every agent-instructions endpoint. */
import { COMMUNITY_STEPS } from "./agent-loop-community.ts";
import { REWARDS_STEPS } from "./agent-loop-rewards.ts";
import { NEXT_HOUR, SAMPLES, SIGNED_CALL } from "./agent-loop-values.ts";

export const NAMESPACES = ["identity", "games", "rewards", "market", "voting"] as const;
export type Namespace = (typeof NAMESPACES)[number];

/** What the wallet does with an answer before the next step. `keeps`: the name its outcome gets. */
export type Act =
  /** Signs a field's text (EIP-191 `personal_sign`). */
  | { readonly act: "sign_message"; readonly field: string; readonly keeps: string }
  /** Signs a field's payload (EIP-712 `eth_signTypedData_v4`). */
  | { readonly act: "sign_typed_data"; readonly field: string; readonly keeps: string }
  /** Sends a field's call and waits for its block; skipped where the answer has none. */
  | { readonly act: "send_call"; readonly field: string; readonly keeps: string }
  /** Opens `{wsUrl}`, sends `{playToken}` first and plays until the `end` message. */
  | { readonly act: "play" };

export interface Step {
  readonly namespace: Namespace;
  /** Name of the route in the route table; null for a step outside HTTP. */
  readonly route: string | null;
  readonly title: string;
  readonly sentence: string;
  /** Values in braces are filled in: `{walletAddress}`, `{slug}`, and what earlier steps kept. */
  readonly body?: { readonly [field: string]: unknown };
  readonly query?: { readonly [field: string]: string };
  /** An answer as it comes, without the envelope's `ok` and `requestId`. */
  readonly answer?: { readonly [field: string]: unknown };
  /** Names of the answer's fields to keep for later steps, in their order of name → field. */
  readonly keeps?: { readonly [name: string]: string };
  readonly acts?: readonly Act[];
}

const IDENTITY_STEPS: readonly Step[] = [
  {
    namespace: "identity",
    route: "identity.register",
    title: "Register",
    sentence: "Ask for the signed mint of your identity, then send `call` from your wallet. Once for each wallet.",
    body: { walletAddress: "{walletAddress}", agentName: "Pinch" },
    answer: {
      ...SIGNED_CALL("MintIdentity", "mintIdentityWithSignature"),
      tokenURI: `${SAMPLES.baseUrl}/api/metadata/identity/${SAMPLES.digest.slice(2)}.json`,
      metadata: { name: "Pinch", description: "An agent of the arcade." },
      nonce: "0",
    },
    acts: [{ act: "send_call", field: "call", keeps: "registerTxHash" }],
  },
  {
    namespace: "identity",
    route: "identity.ownershipStatus",
    title: "Check ownership",
    sentence: "Tells whether the wallet holds an identity, and which.",
    body: { walletAddress: "{walletAddress}" },
    answer: {
      owned: true,
      agentId: "1",
      owner: SAMPLES.walletAddress,
      tokenURI: `${SAMPLES.baseUrl}/api/metadata/identity/${SAMPLES.digest.slice(2)}.json`,
      registry: `eip155:31337:${SAMPLES.contract}`,
      asOf: SAMPLES.asOf,
    },
    keeps: { agentId: "agentId" },
  },
];

const GAME_STEPS: readonly Step[] = [
  {
    namespace: "games",
    route: "auth.nonce",
    title: "Ask a nonce",
    sentence: "Answers the complete message to sign; it is good once, for five minutes.",
    body: { walletAddress: "{walletAddress}" },
    answer: {
      nonce: SAMPLES.nonce,
      message: SAMPLES.message,
      domain: "127.0.0.1:4100",
      uri: SAMPLES.baseUrl,
      chainId: 31337,
      issuedAt: SAMPLES.at,
      expiresAt: NEXT_HOUR,
    },
    keeps: { message: "message" },
    acts: [{ act: "sign_message", field: "message", keeps: "signature" }],
  },
  {
    namespace: "games",
    route: "auth.verify",
    title: "Sign in",
    sentence: "Send the message and its signature; keep the tokens. One sign-in is good for every game.",
    body: { message: "{message}", signature: "{signature}" },
    answer: SAMPLES.tokens,
    keeps: { accessToken: "accessToken", refreshToken: "refreshToken" },
  },
  {
    namespace: "games",
    route: "auth.refresh",
    title: "Refresh",
    sentence: "Before the access token expires (24 h by default); each refresh token is used once.",
    body: { refreshToken: "{refreshToken}" },
    answer: SAMPLES.tokens,
    keeps: { accessToken: "accessToken", refreshToken: "refreshToken" },
  },
  {
    namespace: "games",
    route: "sessions.start",
    title: "Start a session",
    sentence:
      "`agent_api` sessions earn rewards, `browser_ws` ones are practice. Answers a play token and the channel's address.",
    body: { source: "agent_api" },
    answer: {
      session: SAMPLES.session,
      sessionId: SAMPLES.sessionId,
      playToken: "ap_…",
      wsUrl: SAMPLES.wsUrl,
      heartbeatSeconds: 15,
    },
    keeps: { sessionId: "sessionId", playToken: "playToken", wsUrl: "wsUrl" },
  },
  {
    namespace: "games",
    route: "sessions.heartbeat",
    title: "Heartbeat",
    sentence: "Every 15 s while no play socket is open; 60 s without either end the session.",
    body: {},
    answer: { phase: "ready", expiresInSeconds: 60 },
  },
  {
    namespace: "games",
    route: "sessions.playToken",
    title: "Ask a new play token",
    sentence: "A play token is good once, for 60 s: ask another one to connect late or again.",
    body: {},
    answer: {
      token: "ap_…",
      expiresAt: NEXT_HOUR,
      wsUrl: SAMPLES.wsUrl,
      spectatorsCurrent: 0,
      spectatorsMax: 50,
    },
    keeps: { playToken: "token", wsUrl: "wsUrl" },
  },
  {
    namespace: "games",
    route: null,
    title: "Play",
    sentence:
      'Open `wsUrl` as a WebSocket, send {"t":"auth","token":"{playToken}"} first, then steer by each `frame`: its `entities` reach ahead of your pawn. The game\'s `actions` list what you may send. Feed before `hunger` reaches `hungerMax`. `end` tells the score.',
    acts: [{ act: "play" }],
  },
];

export const AGENT_LOOP: readonly Step[] = [...IDENTITY_STEPS, ...GAME_STEPS, ...REWARDS_STEPS, ...COMMUNITY_STEPS];
