/** The open cycle with its candidates, voting by wallet, and the recount of closed cycles. */
import { useSignal } from "@preact/signals";
import type { VotingCandidate, VotingCycle } from "../../client/api.ts";
import { ActionButton } from "../components/action-button.tsx";
import { Load } from "../components/load.tsx";
import { PageHead } from "../components/page-head.tsx";
import { EmptyState } from "../components/states.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { WalletPanel } from "../components/wallet-panel.tsx";
import { formatDateTime, formatNumber } from "../labels/shared.ts";
import { VOTE_LABELS } from "../labels/vote.ts";
import { loadScript } from "../load-script.ts";
import type { Recount } from "../vote/recount.ts";
import type { Account } from "../wallet/account.ts";
import { client } from "../wallet/service.ts";

const POLL_MS = 10_000;

export function VotePage() {
  const loaded = useLoaded("candidates", (signal) => client.voting.candidates({}, { signal }), [], POLL_MS);
  return (
    <>
      <PageHead title={VOTE_LABELS.title} lead={VOTE_LABELS.intro} />
      <Load loaded={loaded}>
        {({ cycle, games }) =>
          cycle === null ? (
            <EmptyState>{VOTE_LABELS.noCycle}</EmptyState>
          ) : (
            <section aria-labelledby="cycle-title">
              <h2 id="cycle-title">{VOTE_LABELS.cycle(cycle.id)}</h2>
              <p class="quiet">{VOTE_LABELS.closes(formatDateTime(cycle.closesAt))}</p>
              <Candidates games={games} cycle={cycle} onVoted={loaded.reload} />
            </section>
          )
        }
      </Load>
      <p class="quiet page-note">{VOTE_LABELS.apply}</p>
      <RecountSection />
    </>
  );
}

interface CandidatesProps {
  readonly games: readonly VotingCandidate[];
  readonly cycle: VotingCycle;
  readonly onVoted: () => void;
}

const Candidates = ({ games, cycle, onVoted }: CandidatesProps) => {
  const most = Math.max(1, ...games.map(({ totalVotes }) => totalVotes));
  return (
    <>
      <ul class="candidates" aria-label={VOTE_LABELS.candidates}>
        {games.map((game) => (
          <li key={game.gameSlug} class="panel">
            <h3>{game.title}</h3>
            <p class="quiet">{VOTE_LABELS.by(game.developer)}</p>
            <p>
              <b class="votes">{formatNumber(game.totalVotes)}</b>
              {` ${VOTE_LABELS.votes(game.totalVotes)}: ${VOTE_LABELS.split(game.aiAgentVotes, game.humanVotes)}`}
            </p>
            <span class="bar" aria-hidden="true">
              <span style={{ "--share": String(game.totalVotes / most) }} />
            </span>
          </li>
        ))}
      </ul>
      <WalletPanel>
        {(account) => (
          <ul class="candidates">
            {games.map((game) => (
              <Ballot key={game.gameSlug} account={account} game={game} cycle={cycle} onVoted={onVoted} />
            ))}
          </ul>
        )}
      </WalletPanel>
    </>
  );
};

interface BallotProps {
  readonly account: Account;
  readonly game: VotingCandidate;
  readonly cycle: VotingCycle;
  readonly onVoted: () => void;
}

function Ballot({ account, game, cycle, onVoted }: BallotProps) {
  const isRecorded = useSignal(false);
  const vote = async (voteSource: "human" | "ai_agent"): Promise<void> => {
    const { castVote } = await loadScript(() => import("../../client/vote.ts"));
    await castVote({ client: account.client, gameSlug: game.gameSlug, voteSource, cycleId: cycle.id });
    isRecorded.value = true;
    onVoted();
  };
  return (
    <li class="panel ballot">
      <h3>{game.title}</h3>
      {isRecorded.value ? (
        <p role="status">{VOTE_LABELS.recorded}</p>
      ) : (
        <div class="actions">
          <ActionButton label={VOTE_LABELS.asPerson} description={game.title} onClick={() => vote("human")} />
          <ActionButton label={VOTE_LABELS.asAgent} description={game.title} isQuiet onClick={() => vote("ai_agent")} />
        </div>
      )}
    </li>
  );
}

function RecountSection() {
  const slug = useSignal("demo-tidepool");
  const result = useSignal<Recount | null>(null);
  return (
    <section class="section" aria-labelledby="recount-title">
      <h2 id="recount-title">{VOTE_LABELS.ballots}</h2>
      <p>{VOTE_LABELS.ballotsIntro}</p>
      <div class="form form-row">
        <label>
          {VOTE_LABELS.slug}
          <input
            type="text"
            value={slug.value}
            onInput={({ currentTarget }) => {
              slug.value = currentTarget.value.trim();
            }}
          />
        </label>
        <ActionButton
          label={VOTE_LABELS.recount}
          isQuiet
          onClick={async () => {
            result.value = null;
            const { recount } = await loadScript(() => import("../vote/recount.ts"));
            result.value = await recount(slug.value);
          }}
        />
      </div>
      <div role="status">{result.value !== null && <RecountResult {...result.value} />}</div>
    </section>
  );
}

function RecountResult({ published, humanVotes, aiAgentVotes, contractVotes, invalid, reportedVotes }: Recount) {
  if (!published) return <p>{VOTE_LABELS.ballotsSecret}</p>;
  const votes = humanVotes + aiAgentVotes;
  return (
    <>
      <p>{VOTE_LABELS.recounted(votes, aiAgentVotes, humanVotes)}</p>
      {contractVotes > 0 && <p class="quiet">{VOTE_LABELS.contractProofs(contractVotes)}</p>}
      {invalid > 0 && <p class="check-failed">{VOTE_LABELS.invalid(invalid)}</p>}
      {votes === reportedVotes ? (
        <p class="check-ok">{VOTE_LABELS.agrees}</p>
      ) : (
        <p class="check-failed">{VOTE_LABELS.differs(reportedVotes)}</p>
      )}
    </>
  );
}
