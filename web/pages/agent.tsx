/** `/agents/{id}`: who an agent is, what it holds and how it has played. */

import type { AgentProfile, Listing } from "../../client/api.ts";
import { isApiError } from "../../client/errors.ts";
import { toSitePath } from "../../domain/site.ts";
import { findGame, games } from "../../games/index.ts";
import { Address } from "../components/address.tsx";
import { Load } from "../components/load.tsx";
import { Plot } from "../components/plot.tsx";
import { Portrait } from "../components/portrait.tsx";
import { type ListedRun, RunsTable } from "../components/runs-table.tsx";
import { EmptyState } from "../components/states.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { FollowButton } from "../follow/follow-button.tsx";
import { getCollectionLabel } from "../labels/account.ts";
import { AGENT_LABELS, formatIdentity } from "../labels/agents.ts";
import type { PageProps } from "../page-props.ts";
import { useTitle } from "../title.ts";
import { client } from "../wallet/service.ts";
import { NotFoundPage } from "./not-found.tsx";

const HISTORY_RUNS = 100;
const BEST_RUNS = 10;

interface Nft {
  readonly slug: string;
  readonly name: string;
}

interface AgentFacts {
  readonly profile: AgentProfile | null;
  readonly history: readonly ListedRun[];
  readonly nfts: readonly Nft[];
  readonly listings: readonly Listing[];
}

/** The NFT that the agent has minted in a game; a token keeps the number of the agent that minted it. */
async function findNft(slug: string, tokenId: string, signal: AbortSignal): Promise<Nft | null> {
  try {
    const { name } = await client.metadata.gameNft({ slug, tokenId }, { signal });
    return { slug, name: String(name) };
  } catch (error) {
    if (isApiError(error, "NOT_FOUND")) return null;
    throw error;
  }
}

async function loadAgent(agentId: string, signal: AbortSignal): Promise<AgentFacts> {
  const options = { signal };
  const { profile } = await client.identity.profileGet({ agentId }, options);
  const pages = await Promise.all(
    games.map(({ slug }) => client.games.runs({ slug, agentId, sort: "recent", limit: HISTORY_RUNS }, options)),
  );
  const history = pages.flatMap(({ items }, index) => items.map((run) => ({ ...run, slug: games[index]!.slug })));
  // Only an agent with a score on chain can have a token.
  const played = games.filter(({ slug }) => history.some((run) => run.slug === slug && run.snapshot.txHash !== null));
  const nfts = await Promise.all(played.map(({ slug }) => findNft(slug, agentId, signal)));
  const wallet = profile?.walletAddress ?? history[0]?.walletAddress;
  const { items: listings } =
    wallet === undefined ? { items: [] } : await client.market.listings({ seller: wallet }, options);
  return { profile, history, listings, nfts: nfts.filter((nft) => nft !== null) };
}

export function AgentPage({ params }: PageProps) {
  const agentId = params.id ?? "";
  const loaded = useLoaded("agent", (signal) => loadAgent(agentId, signal), [agentId]);
  const { value } = loaded;
  const name = value?.profile?.agentName ?? value?.history[0]?.agentName ?? formatIdentity(agentId);
  useTitle(value === null ? null : name);
  if (loaded.isMissing || (value !== null && value.profile === null && value.history.length === 0))
    return <NotFoundPage />;
  return <Load loaded={loaded}>{(facts) => <Agent agentId={agentId} name={name} facts={facts} />}</Load>;
}

function Agent({
  agentId,
  name,
  facts,
}: {
  readonly agentId: string;
  readonly name: string;
  readonly facts: AgentFacts;
}) {
  const { profile, history, nfts, listings } = facts;
  const wallet = profile?.walletAddress ?? history[0]?.walletAddress ?? null;
  const best = [...history].sort((one, other) => other.score - one.score).slice(0, BEST_RUNS);
  return (
    <>
      <div class="agent-head">
        <Portrait holder={wallet ?? agentId} class="portrait-large" />
        <div>
          <h1>{name}</h1>
          <p class="quiet">
            {`${formatIdentity(agentId)} · `}
            {wallet !== null && <Address hex={wallet} />}
          </p>
          {profile === null || profile.bio === "" ? <p class="quiet">{AGENT_LABELS.noBio}</p> : <p>{profile.bio}</p>}
          {profile !== null && profile.links.length > 0 && (
            <ul class="agent-links" aria-label={AGENT_LABELS.links}>
              {profile.links.map((link) => (
                <li key={link}>
                  <a href={link} rel="noreferrer nofollow ugc">
                    {new URL(link).hostname}
                  </a>
                </li>
              ))}
            </ul>
          )}
          <FollowButton agentId={agentId} />
        </div>
      </div>
      <section class="section">
        <h2>{AGENT_LABELS.best}</h2>
        <RunsTable runs={best} hasPlayer={false} />
      </section>
      <section class="section">
        <h2>{AGENT_LABELS.history}</h2>
        {history.length < 2 ? <EmptyState>{AGENT_LABELS.shortHistory}</EmptyState> : <History runs={history} />}
      </section>
      <section class="section">
        <h2>{AGENT_LABELS.collection}</h2>
        {nfts.length === 0 && <EmptyState>{AGENT_LABELS.noNfts}</EmptyState>}
        <ul class="tiles">
          {nfts.map((nft) => (
            <li key={nft.slug} class="tile">
              <a href={toSitePath("game", { game: nft.slug })}>
                <img
                  class="tier-picture"
                  src={`/api/metadata/${nft.slug}/${agentId}.svg`}
                  alt=""
                  width={200}
                  height={200}
                />
                <span>{nft.name}</span>
              </a>
            </li>
          ))}
        </ul>
      </section>
      <section class="section">
        <h2>{AGENT_LABELS.listings}</h2>
        {listings.length === 0 && <EmptyState>{AGENT_LABELS.noListings}</EmptyState>}
        <ul class="tiles">
          {listings.map(({ listingId, collection, tokenId }) => (
            <li key={listingId} class="tile">
              <a href="/market">
                <img
                  class="tier-picture"
                  src={`/api/metadata/${collection}/${tokenId}.svg`}
                  alt=""
                  width={200}
                  height={200}
                />
                <span>{`${getCollectionLabel(collection, findGame(collection)?.title)} #${tokenId}`}</span>
              </a>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

/** Scores over time, one line for each game. */
function History({ runs }: { readonly runs: readonly ListedRun[] }) {
  const ordered = [...runs].sort((one, other) => Date.parse(one.endedAt) - Date.parse(other.endedAt));
  const played = games.filter(({ slug }) => ordered.some((run) => run.slug === slug));
  return (
    <Plot
      label={AGENT_LABELS.history}
      isTime
      x={ordered.map(({ endedAt }) => Date.parse(endedAt) / 1000)}
      series={played.map(({ slug, title }) => ({
        label: title,
        values: ordered.map((run) => (run.slug === slug ? run.score : null)),
      }))}
    />
  );
}
