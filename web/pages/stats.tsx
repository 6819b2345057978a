/** Tokenomics and activity as numbers and plots. */
import { formatUnits } from "viem";
import type { StatsSummary, Tokenomics } from "../../client/api.ts";
import { Load } from "../components/load.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Plot } from "../components/plot.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { shortenNumber } from "../labels/account.ts";
import { formatNumber } from "../labels/shared.ts";
import { STATS_LABELS } from "../labels/stats.ts";
import { siteConfig } from "../site-config.ts";
import { type DayRow, sumByDay } from "../stats/days.ts";
import { type GameActivity, loadPaidByDay, loadStats } from "../stats/stats-data.ts";

const POLL_MS = 30_000;

export function StatsPage() {
  const loaded = useLoaded("stats", loadStats, [], POLL_MS);
  const { value: paid } = useLoaded(null, loadPaidByDay, []);
  return (
    <>
      <PageHead title={STATS_LABELS.title} lead={STATS_LABELS.intro} />
      <Load loaded={loaded}>
        {({ summary, tokenomics, activity }) => (
          <>
            <Summary summary={summary} />
            <TokenSection tokenomics={tokenomics} />
            <div class="plots">
              <ActivityPlot activity={activity} />
              {siteConfig.rpcUrl !== null && <PaidPlot paid={paid ?? []} symbol={tokenomics.token.symbol} />}
              {activity.map((game) => (
                <ScorePlot key={game.slug} game={game} />
              ))}
            </div>
          </>
        )}
      </Load>
    </>
  );
}

type Figure = readonly [label: string, value: string];

const Figures = ({ label, figures }: { readonly label: string; readonly figures: readonly Figure[] }) => (
  <dl class="figures" aria-label={label}>
    {figures.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>
          <b>{value}</b>
        </dd>
      </div>
    ))}
  </dl>
);

const SECONDS_PER_HOUR = 3600;

const Summary = ({ summary }: { readonly summary: StatsSummary }) => (
  <Figures
    label={STATS_LABELS.title}
    figures={[
      [STATS_LABELS.sessions, formatNumber(summary.sessions)],
      [STATS_LABELS.players, formatNumber(summary.players)],
      [STATS_LABELS.live, formatNumber(summary.liveSessions)],
      [STATS_LABELS.spectators, formatNumber(summary.spectators)],
      [STATS_LABELS.points, formatNumber(summary.totalScore)],
      [STATS_LABELS.hours, (summary.playSeconds / SECONDS_PER_HOUR).toFixed(1)],
    ]}
  />
);

function TokenSection({ tokenomics }: { readonly tokenomics: Tokenomics }) {
  const { token, totalSupply, float, paidToday, paidTotal, dailyCap, weeklyCap, scoreToTokenRate, asOf } = tokenomics;
  const format = (units: string | bigint): string => shortenNumber(formatUnits(BigInt(units), token.decimals));
  const leftToday = BigInt(dailyCap) - BigInt(paidToday);
  const share = BigInt(dailyCap) === 0n ? 1 : Number((BigInt(paidToday) * 10_000n) / BigInt(dailyCap)) / 10_000;
  return (
    <section class="section" aria-labelledby="token-title">
      <h2 id="token-title">{`${token.name} (${token.symbol})`}</h2>
      <Figures
        label={STATS_LABELS.token}
        figures={[
          [STATS_LABELS.float, format(float)],
          [STATS_LABELS.supply, format(totalSupply)],
          [STATS_LABELS.paid, format(paidTotal)],
          [STATS_LABELS.week, format(weeklyCap)],
          [STATS_LABELS.snapshots, formatNumber(tokenomics.snapshots)],
          [STATS_LABELS.payouts, formatNumber(tokenomics.payouts)],
          [STATS_LABELS.rateTitle, STATS_LABELS.rate(format(scoreToTokenRate), token.symbol)],
        ]}
      />
      <h3>{STATS_LABELS.today}</h3>
      <p>{`${STATS_LABELS.left(format(leftToday), format(dailyCap), token.symbol)} ${STATS_LABELS.spent(format(paidToday), token.symbol)}`}</p>
      <span class="bar" aria-hidden="true">
        <span style={{ "--share": String(share) }} />
      </span>
      <p class="quiet">{STATS_LABELS.asOf(asOf.block)}</p>
    </section>
  );
}

function ActivityPlot({ activity }: { readonly activity: readonly GameActivity[] }) {
  const byGame = activity.map(({ title, endedAt }) => ({
    title,
    days: new Map(sumByDay(endedAt.map((at) => ({ at, value: 1 }))).map(({ day, value }) => [day, value])),
  }));
  const days = sumByDay(activity.flatMap(({ endedAt }) => endedAt.map((at) => ({ at, value: 0 })))).map(
    ({ day }) => day,
  );
  const colors = ["--coral", "--mint", "--sand", "--rose"] as const;
  const count = activity.reduce((sum, { scores }) => sum + scores.length, 0);
  return (
    <section class="section" aria-labelledby="activity-title">
      <h2 id="activity-title">{STATS_LABELS.activity}</h2>
      <Plot
        label={STATS_LABELS.activity}
        kind="bars"
        isTime
        x={days}
        series={byGame.map((game, index) => ({
          label: game.title,
          values: days.map((day) => game.days.get(day) ?? 0),
          color: colors[index % colors.length]!,
        }))}
      />
      <p class="quiet">{STATS_LABELS.activityText(count)}</p>
    </section>
  );
}

const PaidPlot = ({ paid, symbol }: { readonly paid: readonly DayRow[]; readonly symbol: string }) => (
  <section class="section" aria-labelledby="paid-title">
    <h2 id="paid-title">{STATS_LABELS.paidPlot}</h2>
    <Plot
      label={STATS_LABELS.paidPlotLabel(symbol)}
      kind="bars"
      isTime
      x={paid.map(({ day }) => day)}
      series={[{ label: symbol, values: paid.map(({ value }) => value), color: "--mint" }]}
    />
  </section>
);

const ScorePlot = ({ game: { slug, title, scores } }: { readonly game: GameActivity }) => (
  <section class="section" aria-labelledby={`scores-${slug}`}>
    <h2 id={`scores-${slug}`}>{`${title}: ${STATS_LABELS.scores.toLowerCase()}`}</h2>
    <Plot
      label={STATS_LABELS.scoresOf(title)}
      kind="points"
      x={scores.map((_, index) => index + 1)}
      series={[{ label: STATS_LABELS.score, values: scores }]}
    />
  </section>
);
