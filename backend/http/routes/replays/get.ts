import { z } from "zod";
import { ArcadeError, quoteReceived } from "../../../../domain/errors.ts";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { defineRoute } from "../../routing/route.ts";
import { hash32, pathTexts } from "../../schemas/values.ts";
import { createReplayResponse, REPLAY_EXAMPLE, replay } from "../sessions/replay-response.ts";

export const replaysGet = defineRoute({
  name: "replays.get",
  method: "GET",
  path: "/api/replays/{gameSessionHash}",
  summary: "The replay of a score on chain, by the `gameSessionHash` of its ScoreSnapshot event",
  access: "public",
  limits: LIMITS.publicRead,
  params: z.strictObject({ gameSessionHash: pathTexts.hash }),
  response: replay,
  example: { response: REPLAY_EXAMPLE },
  errors: ["SESSION_NOT_FOUND"],
  plain: true,
  services: ["replays"],
  handle: async ({ params }, { replays }) => {
    const hash = hash32.safeParse(params.gameSessionHash);
    if (!hash.success)
      throw new ArcadeError(
        "SESSION_NOT_FOUND",
        `Expected a gameSessionHash (0x and 64 hex digits), received ${quoteReceived(params.gameSessionHash)}.`,
      );
    return createReplayResponse(await replays.getByHash(hash.data));
  },
});
