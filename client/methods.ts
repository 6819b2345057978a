/** The client's methods: one for each route of the service. */
import type {
  Answer,
  Input,
  NftPrepared,
  PayoutCall,
  PayoutView,
  Registration,
  RouteName,
  SnapshotBatchResponse,
  SnapshotResponse,
  SponsoredNft,
  SponsoredRegistration,
  SponsoredSnapshotBatch,
  SponsoredSnapshotResponse,
  VotingCandidates,
  VotingStatus,
} from "./api.ts";
import type { RouteSpec } from "./route-spec.ts";
import { ROUTES } from "./routes.generated.ts";

export interface CallOptions {
  /** Sent instead of the wallet's token: a practice token. */
  readonly token?: string;
  /** Generated when left out; give one to repeat an idempotent call after a crash. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

type Method<In, Out> =
  Record<never, never> extends In
    ? (input?: In, options?: CallOptions) => Promise<Out>
    : (input: In, options?: CallOptions) => Promise<Out>;

/** Second names of routes: each asks for one kind of the route's responses. */
const SECOND_NAMES = {
  "identity.registerSponsored": "identity.register",
  "nft.prepareSponsored": "nft.prepare",
  "rewards.snapshotSponsored": "rewards.snapshot",
  "rewards.snapshotAllSponsored": "rewards.snapshot",
  "rewards.snapshotAll": "rewards.snapshot",
  "rewards.payoutCall": "rewards.payout",
  "voting.candidates": "voting.status",
} as const satisfies { readonly [name: string]: RouteName };

/** The fields of a request whose gas the operator pays. */
type Sponsoring = "sponsor" | "consent";
type Sponsored = { readonly sponsor: true };

/** Methods whose input decides which of the route's responses they return. */
interface NarrowedMethods {
  readonly "identity.register": Method<Omit<Input<"identity.register">, Sponsoring>, Registration>;
  /** The operator sends the mint, once the wallet has signed in and signed its consent. */
  readonly "identity.registerSponsored": Method<Sponsored & Input<"identity.register">, SponsoredRegistration>;
  readonly "nft.prepare": Method<Omit<Input<"nft.prepare">, Sponsoring>, NftPrepared>;
  readonly "nft.prepareSponsored": Method<Sponsored & Input<"nft.prepare">, SponsoredNft>;
  readonly "rewards.snapshotSponsored": Method<
    Sponsored & Omit<Input<"rewards.snapshot">, "all" | "txHash">,
    SponsoredSnapshotResponse
  >;
  readonly "rewards.snapshotAllSponsored": Method<
    Sponsored & { readonly all: true } & Pick<Input<"rewards.snapshot">, "gameSlug">,
    SponsoredSnapshotBatch
  >;
  readonly "rewards.snapshot": Method<Omit<Input<"rewards.snapshot">, "all" | Sponsoring>, SnapshotResponse>;
  /** One call for up to 16 sessions; `more` is true if others wait. `snapshotScores` repeats it until none is left. */
  readonly "rewards.snapshotAll": Method<
    { readonly all: true } & Pick<Input<"rewards.snapshot">, "gameSlug">,
    SnapshotBatchResponse
  >;
  readonly "rewards.payout": Method<Omit<Input<"rewards.payout">, "mode">, PayoutView>;
  /** The unsigned call, for a wallet that pays its own gas. */
  readonly "rewards.payoutCall": Method<
    { readonly mode: "self" } & Pick<Input<"rewards.payout">, "gameSlug">,
    PayoutCall
  >;
  readonly "voting.status": Method<Required<Input<"voting.status">>, VotingStatus>;
  readonly "voting.candidates": Method<Record<never, never>, VotingCandidates>;
}

type MethodName = RouteName | keyof NarrowedMethods;
type MethodNamed<Name> = Name extends keyof NarrowedMethods
  ? NarrowedMethods[Name]
  : Name extends RouteName
    ? Method<Input<Name>, Answer<Name>>
    : never;
type Namespace = MethodName extends infer Name ? (Name extends `${infer N}.${string}` ? N : never) : never;

/** `client.sessions.start({...})`: a method for each route, by its name. */
export type Methods = {
  readonly [N in Namespace]: {
    readonly [Name in MethodName as Name extends `${N}.${infer Short}` ? Short : never]: MethodNamed<Name>;
  };
};

/** Every route by the parts of its names. Made once: a server may make a client for each request. */
const METHODS = Object.entries<RouteSpec>({
  ...ROUTES,
  ...Object.fromEntries(Object.entries(SECOND_NAMES).map(([name, route]) => [name, ROUTES[route]])),
}).map(([fullName, route]) => {
  const [namespace = "", name = ""] = fullName.split(".");
  return { namespace, name, route };
});

/** Makes every method of the table from one function that sends a request. */
export function createMethods(
  send: (route: RouteSpec, input: Record<string, unknown>, options: CallOptions) => Promise<unknown>,
): Methods {
  const methods: Record<string, Record<string, unknown>> = {};
  for (const { namespace, name, route } of METHODS) {
    methods[namespace] ??= {};
    methods[namespace][name] = (input: Record<string, unknown> = {}, options: CallOptions = {}) =>
      send(route, input, options);
  }
  return methods as unknown as Methods;
}
