import { expect } from "chai";
import { openPictureThread } from "../../backend/adapters/pictures/picture-thread.ts";
import type { PictureDrawer, PictureTask } from "../../backend/ports/system.ts";
import { gameList } from "../../games/index.ts";
import { silentLog } from "./chain/chain-fixture.ts";

const TASK: PictureTask = { slug: "flappybots", rulesVersion: 2, replay: null, tick: null, lines: ["Flappybots"] };
/** One is drawn and sixteen wait. */
const PLACES = 17;

describe("the thread that draws pictures", () => {
  let drawer: PictureDrawer;
  beforeEach(() => {
    drawer = openPictureThread(gameList.moduleUrl, silentLog);
  });
  afterEach(() => drawer.close());
  const draw = (task: PictureTask = TASK): Promise<unknown> => drawer.draw(task).catch((error: unknown) => error);

  it("rejects a picture that would wait too long with PICTURE_UNAVAILABLE, and draws again afterward", async () => {
    expect(await draw()).to.be.instanceOf(Uint8Array);
    const results = await Promise.all(Array.from({ length: PLACES + 2 }, () => draw()));
    expect(results.filter((result) => result instanceof Uint8Array)).to.have.length(PLACES);
    for (const refused of results.slice(PLACES)) expect(refused).to.include({ code: "PICTURE_UNAVAILABLE" });
    expect(await draw()).to.be.instanceOf(Uint8Array);
  });

  it("answers PICTURE_UNAVAILABLE for unknown rules", async () => {
    expect(await draw({ ...TASK, rulesVersion: 999 })).to.include({ code: "PICTURE_UNAVAILABLE" });
  });

  it("answers PICTURE_UNAVAILABLE when the thread does not answer in time", async () => {
    const stuck = openPictureThread("data:text/javascript,for (;;);", silentLog, 1_000);
    try {
      expect(await stuck.draw(TASK).catch((error: unknown) => error)).to.include({ code: "PICTURE_UNAVAILABLE" });
    } finally {
      await stuck.close();
    }
  });
});
