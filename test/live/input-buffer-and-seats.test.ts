import { expect } from "chai";
import { Seats } from "../../backend/live/seats.ts";
import { InputBuffer } from "../../domain/protocol/input-buffer.ts";
import { findGame } from "../../games/index.ts";

describe("the input buffer", () => {
  const shellrunners = findGame("shellrunners")!;
  const [none, left, right] = shellrunners.inputs.map((input) => input.message);

  it("the buffer returns the latest direction once, and nothing if it is already active", () => {
    const inputBuffer = new InputBuffer(shellrunners);
    expect(inputBuffer.drain()).to.deep.equal([]);
    inputBuffer.add(none!);
    expect(inputBuffer.drain()).to.deep.equal([]);
    inputBuffer.add(left!);
    inputBuffer.add(right!);
    expect([inputBuffer.drain(), inputBuffer.drain()]).to.deep.equal([[2], []]);
    inputBuffer.add(right!);
    expect(inputBuffer.drain()).to.deep.equal([]);
    inputBuffer.add(left!);
    inputBuffer.add(right!);
    expect(inputBuffer.drain()).to.deep.equal([]);
  });

  it("the buffer releases the held input when the player disconnects", () => {
    const inputBuffer = new InputBuffer(shellrunners);
    inputBuffer.add(left!);
    inputBuffer.drain();
    inputBuffer.add(right!);
    inputBuffer.releaseHeld();
    expect([inputBuffer.drain(), inputBuffer.drain()]).to.deep.equal([[0], []]);
  });

  it("the buffer has the active direction after a restart", () => {
    const inputBuffer = new InputBuffer(shellrunners, [
      [3, 1],
      [9, 10],
    ]);
    inputBuffer.add(left!);
    expect(inputBuffer.drain()).to.deep.equal([]);
    inputBuffer.releaseHeld();
    expect(inputBuffer.drain()).to.deep.equal([0]);
  });

  it("the buffer rejects messages of another game", () => {
    expect(new InputBuffer(shellrunners).add({ t: "action", action: "FLAP" })).to.equal(false);
    expect(new InputBuffer(findGame("flappybots")!).add({ t: "action", action: "constructor" })).to.equal(false);
  });
});

describe("seats", () => {
  const seat = (tokenHash: string, expiresAtMs = 1000) => ({ tokenHash, ip: "::1", expiresAtMs, perIpMax: null });

  it("a spectator without a reservation after a restart gets a free seat", () => {
    const seats = new Seats(1);
    expect(seats.take("a", null, 0)).to.equal(true);
    expect(seats.take("b", null, 0)).to.equal(false);
    seats.leave("a");
    expect(seats.reserve(seat("c"), 0)).to.equal(true);
    expect(seats.take("b", null, 0)).to.equal(false);
    expect(seats.take("c", null, 0)).to.equal(true);
    expect([seats.connected, seats.count(0)]).to.deep.equal([1, 1]);
  });

  it("the number of taken seats never exceeds the maximum, in any order of arrival", () => {
    const seats = new Seats(3);
    const reserved = Array.from({ length: 100 }, (_, i) => seats.reserve(seat(`s${i}`), 0));
    expect(reserved.filter(Boolean)).to.have.length(3);
    expect(seats.reserve(seat("late"), 999)).to.equal(false);
    expect(seats.reserve(seat("late"), 1000)).to.equal(true);
  });
});
