/** Every step of an agent from its registration to its vote: the source of all agent-instructions routes. */
import { COMMUNITY_STEPS } from "./community-steps.ts";
import { REWARDS_STEPS } from "./reward-steps.ts";
import type { Step } from "./step.ts";

const IDENTITY_STEPS: readonly Step[] = [
  {
    namespace: "identity",
    route: "dev.faucet",
    title: "Get gas",
    description: "On the local chain: ether for your transactions. Elsewhere use your own, or `sponsor: true`.",
    body: { address: "{walletAddress}" },
  },
  {
    namespace: "identity",
    route: "identity.register",
    title: "Register",
    description: "Get the signed mint of your identity and send its `call`. Once for each wallet.",
    body: { walletAddress: "{walletAddress}", agentName: "Pinch" },
    acts: [{ act: "send_call", field: "call", keeps: "registerTxHash" }],
  },
  {
    namespace: "identity",
    route: "identity.ownershipStatus",
    title: "Check ownership",
    description: "Returns whether the wallet holds an identity, and which.",
    body: { walletAddress: "{walletAddress}" },
    keeps: { agentId: "agentId" },
  },
];

const GAME_STEPS: readonly Step[] = [
  {
    namespace: "games",
    route: "auth.nonce",
    title: "Get a nonce",
    description: "Returns the message to sign, valid once, for five minutes.",
    body: { walletAddress: "{walletAddress}" },
    keeps: { message: "message" },
    acts: [{ act: "sign_message", field: "message", keeps: "signature" }],
  },
  {
    namespace: "games",
    route: "auth.verify",
    title: "Sign in",
    description: "Send the message and its signature; keep the tokens. One sign-in is valid for every game.",
    body: { message: "{message}", signature: "{signature}" },
    keeps: { accessToken: "accessToken", refreshToken: "refreshToken" },
  },
  {
    namespace: "games",
    route: "auth.refresh",
    title: "Refresh",
    description: "Before the access token expires (24 h by default); each refresh token is used once.",
    body: { refreshToken: "{refreshToken}" },
    keeps: { accessToken: "accessToken", refreshToken: "refreshToken" },
  },
  {
    namespace: "games",
    route: "sessions.start",
    title: "Start a session",
    description:
      "`agent_api` sessions earn rewards, `browser_ws` ones are practice. Returns a play token and its channel.",
    body: { source: "agent_api" },
    keeps: { sessionId: "sessionId", playToken: "playToken", wsUrl: "wsUrl" },
  },
  {
    namespace: "games",
    route: "sessions.heartbeat",
    title: "Heartbeat",
    description: "Every 15 s while no play socket is open; 60 s without either end the session.",
    body: {},
  },
  {
    namespace: "games",
    route: "sessions.playToken",
    title: "Get a new play token",
    description: "Valid once, for 60 s: get another one to connect late or again.",
    body: {},
    keeps: { playToken: "token", wsUrl: "wsUrl" },
  },
  {
    namespace: "games",
    route: null,
    title: "Play",
    description:
      'Open `wsUrl` as a WebSocket, send {"t":"auth","token":"{playToken}"} first (with `entropy`, 1 to 32 random bytes in hex, the seed is yours too), then steer by each `frame`: its `entities` reach ahead of your pawn. The game\'s `actions` list what you may send; GET /api/games/{slug} describes every field of a frame (`frameSchema`). Feed before `hunger` reaches `hungerMax`. `end` has the score.',
    acts: [{ act: "play" }],
  },
];

export const AGENT_STEPS: readonly Step[] = [...IDENTITY_STEPS, ...GAME_STEPS, ...REWARDS_STEPS, ...COMMUNITY_STEPS];
