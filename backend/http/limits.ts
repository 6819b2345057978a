/** Thresholds of the rate limits, one table. A route names the ones it falls under; IP and wallet must both pass. */
import type { LimitPolicy } from "./route.ts";

const limit = (name: string, by: LimitPolicy["by"], count: number, windowSeconds = 60): LimitPolicy => ({
  name,
  by,
  limit: count,
  windowSeconds,
});

export const LIMITS = {
  signIn: [limit("sign-in-ip", "ip", 20), limit("sign-in-wallet", "wallet", 10)],
  refresh: [limit("refresh", "ip", 10)],
  start: [limit("start-wallet", "wallet", 10), limit("start-ip", "ip", 10)],
  tokens: [limit("tokens-wallet", "wallet", 20), limit("tokens-ip", "ip", 30)],
  heartbeat: [limit("heartbeat-ip", "ip", 300)],
  snapshot: [limit("snapshot", "wallet", 10)],
  payout: [limit("payout", "wallet", 10)],
  prepare: [limit("prepare", "wallet", 10)],
  register: [limit("register-ip", "ip", 20), limit("register-wallet", "wallet", 10)],
  vote: [limit("vote-wallet", "wallet", 5), limit("vote-ip", "ip", 20)],
  market: [limit("market", "wallet", 30)],
  newsletter: [limit("newsletter", "ip", 3, 3600)],
  events: [limit("events", "ip", 120)],
  publicRead: [limit("read", "ip", 300)],
  walletRead: [limit("wallet-read", "wallet", 300)],
  faucet: [limit("faucet", "ip", 60)],
} as const satisfies Record<string, readonly LimitPolicy[]>;
