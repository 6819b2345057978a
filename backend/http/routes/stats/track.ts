import { z } from "zod";
import { ArcadeError } from "../../../../domain/errors.ts";
import { normalizeSlug } from "../../../../domain/ids.ts";
import { LIMITS } from "../../../../domain/limits/limits.ts";
import { plainText } from "../../../../domain/plain-text.ts";
import { defineRoute, HttpResponse } from "../../routing/route.ts";
import { address } from "../../schemas/values.ts";

const EVENT_BYTES_MAX = 4096;
const eventName = plainText(1, 64);
const details = z.record(z.string(), z.unknown());

const body = z
  .strictObject({
    event: eventName.optional(),
    eventType: eventName.optional(),
    walletAddress: address.optional(),
    gameSlug: plainText(1, 64).optional(),
    sessionId: plainText(1, 64).optional(),
    metadata: details.optional(),
    properties: details.optional(),
    occurredAt: z.iso.datetime({ offset: true }).optional(),
  })
  .refine(({ event, eventType }) => (event === undefined) !== (eventType === undefined), {
    error: "expected either event or eventType",
  })
  .refine(({ metadata, properties }) => metadata === undefined || properties === undefined, {
    error: "expected metadata or properties, not both",
  })
  .meta({
    oneOf: [{ required: ["event"] }, { required: ["eventType"] }],
    not: { required: ["metadata", "properties"] },
  });

const defineTrackRoute = <const Name extends string>(name: Name, path: string, summary: string) =>
  defineRoute({
    name,
    method: "POST",
    path,
    summary,
    access: "public",
    limits: LIMITS.events,
    body,
    response: z.object({ accepted: z.literal(1) }),
    example: {
      request: { event: "session_watched", gameSlug: "shellrunners", metadata: { seconds: 12 } },
      response: { accepted: 1 },
    },
    errors: ["BODY_TOO_LARGE", "STORAGE_BUSY"],
    statuses: [202],
    idempotent: true,
    services: ["telemetry"],
    handle: async ({ body }, { telemetry }) => {
      const bytes = Buffer.byteLength(JSON.stringify(body));
      if (bytes > EVENT_BYTES_MAX) {
        throw new ArcadeError(
          "BODY_TOO_LARGE",
          `Expected an event of at most ${EVENT_BYTES_MAX} bytes, received ${bytes}.`,
        );
      }
      const { event, eventType, walletAddress, gameSlug, sessionId, metadata, properties, occurredAt } = body;
      const accepted = telemetry.track({
        event: (event ?? eventType)!,
        walletAddress: walletAddress ?? null,
        gameSlug: gameSlug === undefined ? null : normalizeSlug(gameSlug),
        sessionId: sessionId ?? null,
        metadata: metadata ?? properties ?? {},
        occurredAtMs: occurredAt === undefined ? null : Date.parse(occurredAt),
      });
      return new HttpResponse(202, accepted);
    },
  });

export const statsTrack = defineTrackRoute("stats.track", "/api/events/track", "Takes one telemetry event");
export const statsTrackLegacy = defineTrackRoute(
  "stats.trackLegacy",
  "/api/analytics/event",
  "Takes one telemetry event; an older name of events/track",
);
