/** A policy for flappybots that passes gates. */
export const FLAPPY_POLICY = `(frame) =>
  frame.pawn.y > frame.observation.nextGapCenterY + 35 && frame.pawn.velocityY > -200
    ? { t: "action", action: "FLAP" }
    : null`;
