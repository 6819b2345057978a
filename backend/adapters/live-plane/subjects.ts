/**
 * The version of the messages between nodes. Raise it with every change of `plane-messages.ts` or of the frames' bytes
 * that older nodes would misread. Nodes receive only their own version. A session on a node of another version is
 * reported as moving until that node stops and hands it over through the store.
 */
export const PLANE_VERSION = 1;

/** The subjects of one deployment: `arcade.v<version>.<deployment>.…`. */
export interface Subjects {
  readonly totals: string;
  call(sessionId: string): string;
  input(sessionId: string): string;
  /** The subject on which a node accepts new sessions. */
  starts(node: string): string;
  /** `host`: one run of the session in its owner's process; `*` for all. */
  frames(sessionId: string, host: string): string;
}

export function createSubjects({ chainId, rewards }: { readonly chainId: number; readonly rewards: string }): Subjects {
  const prefix = `arcade.v${PLANE_VERSION}.${chainId}-${rewards.toLowerCase()}`;
  return {
    totals: `${prefix}.node.totals`,
    call: (sessionId) => `${prefix}.session.${sessionId}.call`,
    input: (sessionId) => `${prefix}.session.${sessionId}.input`,
    starts: (node) => `${prefix}.node.${node}.starts`,
    frames: (sessionId, host) => `${prefix}.session.${sessionId}.frames.${host}`,
  };
}
