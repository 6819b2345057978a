import { Pixels } from "../parts/pixels.tsx";

export function NowherePage() {
  return (
    <div class="nowhere">
      <h1>
        <Pixels text="Nothing here" />
      </h1>
      <p>This address leads to no game and no session.</p>
      <a class="button" href="#/">
        Back to the arcade
      </a>
    </div>
  );
}
