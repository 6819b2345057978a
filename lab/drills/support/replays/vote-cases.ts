/** Reuses ballots: again, for others, changed or late. */
import type { PrivateKeyAccount } from "viem/accounts";
import { type Arena, getCode, type ReplayCase } from "./arena.ts";

const CANDIDATES = ["demo-tidepool", "demo-kelpkart"] as const;
const MINUTES_MS = 60_000;

interface Prepared {
  readonly account: PrivateKeyAccount;
  // biome-ignore lint/suspicious/noExplicitAny: typed data of a response
  readonly typedData: any;
  readonly ballot: { readonly walletAddress: string; readonly gameSlug: string; readonly voteSource: string };
  readonly nonce: string;
}

async function prepare(arena: Arena, gameSlug: string, account = arena.nextAccount()): Promise<Prepared> {
  const ballot = { walletAddress: account.address, gameSlug, voteSource: "human" };
  const { nonce, typedData } = (await arena.post("/api/voting/nonce", ballot)).body;
  return { account, typedData, ballot, nonce };
}
const sign = ({ account, typedData }: Prepared, changed: object = {}): Promise<string> =>
  account.signTypedData({ ...typedData, ...changed });
const vote = async (arena: Arena, { ballot, nonce }: Prepared, signature: string, changed: object = {}) =>
  getCode(await arena.post("/api/voting/vote", { ...ballot, nonce, signature, ...changed }));

/** How a body differs from the ballot that was signed. */
const OTHER_FIELDS: { readonly [how: string]: (arena: Arena, gameSlug: string) => object | Promise<object> } = {
  "for another candidate": (_, gameSlug) => ({ gameSlug: CANDIDATES.find((slug) => slug !== gameSlug) }),
  "for another wallet": (arena) => ({ walletAddress: arena.nextAccount().address }),
  "as an agent's": () => ({ voteSource: "ai_agent" }),
  "with the nonce of a sign-in": async (arena) => {
    const message = await arena.getMessage("shellrunners", arena.nextAccount());
    return { nonce: /^Nonce: (.*)$/m.exec(message)![1] };
  },
};

/** How the signed ballot differs from the submitted one. */
const OTHER_SIGNATURES: { readonly [how: string]: (arena: Arena, prepared: Prepared) => Promise<string> } = {
  "signed for another chain": (_, prepared) => sign(prepared, { domain: { ...prepared.typedData.domain, chainId: 1 } }),
  "signed for another cycle": (_, prepared) =>
    sign(prepared, { message: { ...prepared.typedData.message, cycleId: "2" } }),
  "signed for another candidate": (_, prepared) =>
    sign(prepared, { message: { ...prepared.typedData.message, gameSlug: "reef" } }),
  "signed by another wallet": (arena, prepared) => sign({ ...prepared, account: arena.nextAccount() }),
  "with the signature of an earlier one": async (arena, { account, ballot }) =>
    sign(await prepare(arena, ballot.gameSlug, account)),
};

function createCandidateCases(gameSlug: string): ReplayCase[] {
  const what = `vote for ${gameSlug}`;
  return [
    {
      what,
      how: "again",
      expected: "NONCE_USED",
      run: async (arena) => {
        const prepared = await prepare(arena, gameSlug);
        const signature = await sign(prepared);
        await vote(arena, prepared, signature);
        return vote(arena, prepared, signature);
      },
    },
    {
      what,
      how: "once more, newly signed",
      expected: "ALREADY_VOTED",
      run: async (arena) => {
        const prepared = await prepare(arena, gameSlug);
        await vote(arena, prepared, await sign(prepared));
        const next = await prepare(arena, gameSlug, prepared.account);
        return vote(arena, next, await sign(next));
      },
    },
    {
      what,
      how: "after a failed attempt",
      expected: "NONCE_USED",
      run: async (arena) => {
        const prepared = await prepare(arena, gameSlug);
        await vote(arena, prepared, await sign({ ...prepared, account: arena.nextAccount() }));
        return vote(arena, prepared, await sign(prepared));
      },
    },
    {
      what,
      how: "after five minutes",
      expected: "NONCE_EXPIRED",
      run: async (arena) => {
        const prepared = await prepare(arena, gameSlug);
        const signature = await sign(prepared);
        return arena.clock.runWithWallShift(5 * MINUTES_MS + 1000, () => vote(arena, prepared, signature));
      },
    },
    ...Object.entries(OTHER_FIELDS).map(([how, getFields]) => ({
      what,
      how,
      expected: "NONCE_INVALID",
      run: async (arena: Arena) => {
        const prepared = await prepare(arena, gameSlug);
        return vote(arena, prepared, await sign(prepared), await getFields(arena, gameSlug));
      },
    })),
    ...Object.entries(OTHER_SIGNATURES).map(([how, signOther]) => ({
      what,
      how,
      expected: "SIGNATURE_INVALID",
      run: async (arena: Arena) => {
        const prepared = await prepare(arena, gameSlug);
        return vote(arena, prepared, await signOther(arena, prepared));
      },
    })),
  ];
}

export const createVoteCases = (): readonly ReplayCase[] => CANDIDATES.flatMap(createCandidateCases);
