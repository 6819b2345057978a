import type { PlayBot, PlayFrame } from "../../client/play.ts";

/** Counts a session's frames and the bot's answers: a slow promise, or one that never settles, misses frames. */
export class AnswerCount {
  frames = 0;
  answers = 0;

  onFrame({ phase }: PlayFrame): void {
    if (phase === "running") this.frames += 1;
  }

  count(bot: PlayBot): PlayBot {
    const onAnswer = <T>(move: T): T => {
      this.answers += 1;
      return move;
    };
    return (frame) => {
      const move = bot(frame);
      return move instanceof Promise ? move.then(onAnswer) : onAnswer(move);
    };
  }
}
