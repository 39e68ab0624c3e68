import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import type { Peer } from '../fidelity-library.ts';

/** Words that, anywhere in what a client sends, choose what becomes of the answer: in a comment, a key, a table's name. */
export const MOODS = {
  /** What the client sent never arrives. */
  hangs: 'peer-hangs',
  /** The connection ends after some bytes of the answer. */
  breaks: 'peer-breaks',
  /** The first time the connection ends instead of an answer, the next time there is one. */
  turnsAway: 'peer-turns-away',
  /** Three answers come when all three are there, that of the client that connected last first, each when the
   * client of the one before has gone. */
  holdsBack: 'peer-holds-back',
} as const;

type Mood = keyof typeof MOODS;

/** Less than any answer that is broken off has. */
const BROKEN_ANSWER_BYTES = 12;

/** What a proxy stands in front of. */
export interface ProxyTarget {
  readonly at: NetConnectOpts;
  stop(): Promise<void>;
  /** Whether this is what clients send before they close. It may arrive when the case is over, and says nothing that connecting did not. */
  readonly isGoodbye?: (sent: Buffer) => boolean;
}

interface Held {
  /** Of the connection: answers are given out in the reverse of the order in which clients connected. */
  readonly number: number;
  readonly client: Socket;
  readonly parts: Buffer[];
  isGiven: boolean;
}

/** A real server behind a proxy that counts what clients send, and is in a mood where they ask for it. */
export class MoodyProxy implements Peer {
  contacts = 0;
  private readonly target: ProxyTarget;
  private readonly server: Server = createServer((client) => this.serve(client));
  private readonly sockets = new Set<Socket>();
  private hasTurnedAway = false;
  private held: Held[] = [];
  private connections = 0;

  private constructor(target: ProxyTarget) {
    this.target = target;
  }

  /** Stands in front of a server on this machine, and ends it when it is stopped. */
  static async start(target: ProxyTarget): Promise<MoodyProxy> {
    const proxy = new MoodyProxy(target);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  /** `host:port`. */
  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private serve(client: Socket): void {
    this.contacts += 1;
    const number = ++this.connections;
    const upstream = connect(this.target.at);
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      // Connections that break are what some cases are about.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    let mood: Mood | undefined;
    client.on('data', (sent) => {
      if (this.target.isGoodbye?.(sent) !== true) this.contacts += 1;
      mood = this.moodFor(sent) ?? mood;
      if (mood === 'turnsAway') client.destroy();
      else if (mood !== 'hangs') upstream.write(sent);
    });
    upstream.on('data', (answer) => {
      if (mood === 'breaks') client.end(answer.subarray(0, BROKEN_ANSWER_BYTES));
      else if (mood === 'holdsBack') this.holdBack(number, client, answer);
      else client.write(answer);
    });
    client.on('end', () => upstream.end());
    upstream.on('end', () => client.end());
  }

  private moodFor(sent: Buffer): Mood | undefined {
    const mood = (Object.keys(MOODS) as Mood[]).find((name) => sent.includes(MOODS[name]));
    if (mood !== 'turnsAway') return mood;
    const isFirst = !this.hasTurnedAway;
    this.hasTurnedAway = isFirst;
    return isFirst ? mood : undefined;
  }

  private holdBack(number: number, client: Socket, answer: Buffer): void {
    const known = this.held.find((held) => held.client === client);
    if (known?.isGiven === true) client.write(answer);
    else known?.parts.push(answer);
    if (known !== undefined) return;
    this.held.push({ number, client, parts: [answer], isGiven: false });
    if (this.held.length === 3) void this.giveOut();
  }

  private async giveOut(): Promise<void> {
    for (const held of this.held.toSorted((one, other) => other.number - one.number)) {
      const closed = new Promise((resolve) => held.client.once('close', resolve));
      held.isGiven = true;
      held.client.write(Buffer.concat(held.parts));
      await closed;
    }
    this.held = [];
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
    await this.target.stop();
  }
}
