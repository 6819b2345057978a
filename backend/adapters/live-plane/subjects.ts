/** The subjects of one deployment: `arcade.<deployment>.…`. */
export interface Subjects {
  readonly totals: string;
  call(sessionId: string): string;
  input(sessionId: string): string;
  /** Where a node takes new sessions. */
  starts(node: string): string;
  /** `host`: one run of the session in its owner's process; `*` for all. */
  frames(sessionId: string, host: string): string;
}

export function createSubjects({ chainId, rewards }: { readonly chainId: number; readonly rewards: string }): Subjects {
  const prefix = `arcade.${chainId}-${rewards.toLowerCase()}`;
  return {
    totals: `${prefix}.node.totals`,
    call: (sessionId) => `${prefix}.session.${sessionId}.call`,
    input: (sessionId) => `${prefix}.session.${sessionId}.input`,
    starts: (node) => `${prefix}.node.${node}.starts`,
    frames: (sessionId, host) => `${prefix}.session.${sessionId}.frames.${host}`,
  };
}
