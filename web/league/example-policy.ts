/** What the editor starts with. */
import type { Game } from "../../games/game.ts";

const HEAD = `// Called at every tick. Returns a move, or null for none.
// "memory" is an object that lives as long as the course.
function policy(frame, memory) {
`;

const BODIES: { readonly [slug: string]: string } = {
  flappybots: `  const { pawn, observation } = frame;
  const isLow = pawn.y > observation.nextGapCenterY + 35;
  if (isLow && pawn.velocityY > -200) return { t: "action", action: "FLAP" };
  return null;
`,
  shellrunners: `  const { pawn, entities } = frame;
  const ahead = entities.filter(({ y }) => y < pawn.y && y > pawn.y - 250);
  const danger = ahead.find((it) => it.class === "obstacle" && Math.abs(it.x - pawn.x) < (it.w + pawn.w) / 2 + 12);
  if (danger) return { t: "input", dir: danger.x > pawn.x ? "left" : "right" };
  const prize = ahead.find((it) => it.class === "food" || it.class === "collectible");
  if (prize && Math.abs(prize.x - pawn.x) > 10) return { t: "input", dir: prize.x > pawn.x ? "right" : "left" };
  return { t: "input", dir: "none" };
`,
};

/** Of a game without an example: its first move. */
const createBody = ({ inputs }: Game): string => {
  const move = inputs.find(({ mode }) => mode !== "idle")?.message ?? null;
  return `  return frame.tick % 10 === 0 ? ${JSON.stringify(move)} : null;\n`;
};

export const createExample = (game: Game): string => `${HEAD}${BODIES[game.slug] ?? createBody(game)}}\n`;
