import { PixelText } from "../components/pixels.tsx";

export function NotFoundPage() {
  return (
    <div class="not-found">
      <h1>
        <PixelText text="Nothing here" />
      </h1>
      <p>This address leads to no game and no session.</p>
      <a class="button" href="#/">
        Back to the arcade
      </a>
    </div>
  );
}
