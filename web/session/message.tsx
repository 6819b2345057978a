/** A card over the picture: the state of the game, and possible actions. */
import type { ComponentChildren } from "preact";
import { PixelText } from "../components/pixels.tsx";

interface MessageCardProps {
  readonly title?: string;
  readonly text?: string;
  readonly children?: ComponentChildren;
}

export function MessageCard({ title, text, children }: MessageCardProps) {
  return (
    <div class="overlay" role="status">
      <div class="card">
        {title !== undefined && (
          <h2>
            <PixelText text={title} />
          </h2>
        )}
        {text !== undefined && <p class="sentence">{text}</p>}
        <div class="card-actions">{children}</div>
      </div>
    </div>
  );
}
