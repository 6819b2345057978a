/** The requests in a response's `next`: the caller's next step. */

const post = <Body extends object>(path: string, body: Body) => ({ method: "POST" as const, path, body });

export const nextSteps = {
  register: (walletAddress: string) =>
    post("/api/identity/register", { walletAddress, agentName: `Agent ${walletAddress.slice(2, 8)}` }),
  findIdentity: (walletAddress: string) => post("/api/agents/identity/ownership-status", { walletAddress }),
  snapshot: (sessionId: string) => post("/api/rewards/snapshot", { sessionId }),
  prepareNft: (slug: string, sessionId: string) => post(`/api/games/${slug}/nft/prepare`, { sessionId }),
  getPlayToken: (slug: string, sessionId: string) => post(`/api/games/${slug}/sessions/${sessionId}/play-token`, {}),
} as const;
