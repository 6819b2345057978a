/**
 * The used part of the packages that the benchmarks compare with, for a type check of the repository without them.
 * They are installed by `npm ci` in this folder; `lab/bench/tsconfig.json` then checks against their own types.
 */
declare module "@colyseus/core" {
  export class Room {
    autoDispose: boolean;
    patchRate: number | null;
    seatReservationTimeout: number;
    onCreate(options: unknown): void;
    setSimulationInterval(onTick: () => void, intervalMs: number): void;
    broadcast(type: string, message: object): void;
  }
  export class Server {
    constructor(options: object);
    define(name: string, room: unknown): void;
    listen(port: number, host: string): Promise<unknown>;
  }
  export const matchMaker: {
    createRoom(name: string, options: object): Promise<{ readonly roomId: string }>;
    joinById(roomId: string, options: object): Promise<{ readonly processId: string; readonly sessionId: string }>;
  };
}

declare module "@colyseus/ws-transport" {
  export class WebSocketTransport {
    constructor(options: object);
  }
}

declare module "socket.io" {
  interface Socket {
    on(event: string, onEvent: (room: string) => void): void;
    join(room: string): Promise<void> | void;
  }
  export class Server {
    constructor(http: object, options: object);
    on(event: "connection", onConnection: (socket: Socket) => void): void;
    to(room: string): { emit(event: string, message: object): void };
  }
}
