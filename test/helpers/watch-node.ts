import { ClientRequest } from "node:http";

interface Call {
  readonly method: string;
}

/**
 * Reports the calls of each request of this process to a node, in the sender's context, until the returned function is
 * called.
 */
export function watchNode(rpcUrl: string, see: (calls: readonly Call[]) => void): () => void {
  const { host } = new URL(rpcUrl);
  const realEnd = ClientRequest.prototype.end;
  ClientRequest.prototype.end = function (this: ClientRequest, ...args: unknown[]) {
    if (this.getHeader("host") === host) see([JSON.parse(String(args[0]))].flat() as Call[]);
    return Reflect.apply(realEnd, this, args);
  } as typeof realEnd;
  return () => {
    ClientRequest.prototype.end = realEnd;
  };
}
