/** What the backends of the bench are loaded with: the signed endpoints, and the start of a ranked session. */
import { type Endpoint, toAddress } from "../endpoint/endpoints.ts";
import type { Answer, EndpointRequest } from "../endpoint/load.ts";
import { getToken, SLUG, type World } from "../endpoint/world.ts";

export interface StoreWork {
  readonly name: string;
  /** The table that gets a row for each answer. */
  readonly table: "signings" | "sessions";
  readonly createRequest: (n: number) => EndpointRequest;
  /** Whether the answer to the request with this number is what was asked for. */
  readonly isDone: (n: number, answer: Answer) => boolean;
  /** Ends what an answer has begun, outside of the measured time; null: it has begun nothing. */
  readonly createEnd: ((n: number, answer: Answer) => EndpointRequest) | null;
}

export const toStoreWork = ({ name, createRequest, isSigned }: Endpoint): StoreWork => ({
  ...{ name, table: "signings", createRequest, isDone: isSigned, createEnd: null },
});

interface StartedSession {
  readonly sessionId: string;
  readonly playToken: string;
  readonly session: { readonly walletAddress: string | null; readonly source: string };
}

const parse = ({ body }: Answer): Partial<StartedSession> => JSON.parse(body) as Partial<StartedSession>;

/** Starts of wallets in turn: each has at most one open session. */
export function createStarts({ wallets }: World): StoreWork {
  const toRequest = (n: number, path: string, body: object): EndpointRequest => ({
    path: `/api/games/${SLUG}/sessions/${path}`,
    headers: {
      Authorization: `Bearer ${getToken(n % wallets.length)}`,
      "X-Forwarded-For": toAddress(n % wallets.length),
    },
    body,
  });
  return {
    name: "sessions/start",
    table: "sessions",
    createRequest: (n) => toRequest(n, "start", { source: "agent_api" }),
    isDone: (n, answer) => {
      if (answer.status !== 200) return false;
      const { playToken = "", session } = parse(answer);
      return (
        playToken !== "" && session?.source === "agent_api" && session.walletAddress === wallets[n % wallets.length]
      );
    },
    createEnd: (n, answer) => toRequest(n, `${parse(answer).sessionId}/end`, {}),
  };
}
