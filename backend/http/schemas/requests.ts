/** Parts shared by several routes' requests. */
import { z } from "zod";
import { address, pathTexts } from "./values.ts";

/** Resolved by the pipeline: an unknown one is `GAME_NOT_FOUND`, an old spelling becomes the canonical slug. */
export const slug = z
  .string()
  .meta({ description: "Game slug", example: "shellrunners", pattern: "^[A-Za-z0-9_-]{1,64}$" });

/** A POST without parameters. */
export const emptyBody = z.strictObject({});

export const gameParams = z.strictObject({ slug });
/** The pipeline rejects malformed session ids with `SESSION_NOT_FOUND`. */
export const sessionParams = z.strictObject({ slug, sessionId: pathTexts.sessionId });

/** The caller's own wallet, which a body may contain wherever a wallet acts; the pipeline rejects any other. */
export const ownWallet = {
  walletAddress: address.optional().meta({ description: "The caller's own wallet; another wallet is FORBIDDEN" }),
};
export const walletBody = z.strictObject({ ...ownWallet, gameSlug: slug.optional() });
/** A player's POST without parameters. */
export const playerBody = z.strictObject(ownWallet);

/** For requests whose call may be sent by the operator. */
export const sponsor = z.boolean().default(false).meta({
  description: "The operator sends the call and pays its gas, within the limits of /api/gates",
});
