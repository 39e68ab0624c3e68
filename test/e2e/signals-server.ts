import { EventEmitter, on, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server whose questions are answered at once but for those that somebody waits for: these tell `held`, and how to answer. */
export class SignalsServer extends EventEmitter {
  requestCount = 0;
  url = '';
  private readonly server: Server;
  private readonly asked = new Map<string, number>();

  constructor() {
    super();
    this.server = createServer((request, response) => this.answer(request, response));
  }

  /** Listens on a free port. */
  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Waits for so many questions that are held, and gives how to answer them. */
  async held(count = 1): Promise<() => void> {
    const answers: (() => void)[] = [];
    for await (const [answer] of on(this, 'held') as AsyncIterable<[() => void]>) {
      answers.push(answer);
      if (answers.length === count) break;
    }
    return () => {
      for (const answer of answers) answer();
    };
  }

  private answer({ url: path = '' }: IncomingMessage, response: ServerResponse): void {
    this.requestCount += 1;
    const count = (this.asked.get(path) ?? 0) + 1;
    this.asked.set(path, count);
    const answer = (): void => void response.end(JSON.stringify([`${path} ${count}`]));
    const isHeld = path === '/slow' || path === '/messages/2' || (path.startsWith('/jobs/') && count === 2);
    if (isHeld) this.emit('held', answer);
    else answer();
  }
}
