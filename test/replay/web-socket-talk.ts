import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { type ReplayResult, replay } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import { agent, tool } from 'reenact';
import { afterAll, beforeAll } from 'vitest';
import { type PerMessageDeflateOptions, WebSocketServer } from 'ws';
import { recordRun } from './recorded-run.ts';

/** How the server of a test talks. */
export interface Talk {
  readonly perMessageDeflate?: boolean | PerMessageDeflateOptions;
  readonly ends: 'closed-by-server' | 'closed-by-client' | 'dropped';
}

/** What an agent of a test says. */
export interface Said {
  readonly url: string;
  readonly says: readonly string[];
  readonly closes: boolean;
}

/** One conversation as it was. */
export interface RecordedTalk {
  readonly said: Said;
  readonly recording: Recording;
  readonly log: string[];
  readonly end: string;
}

/** Instruments what the tests of a file open WebSockets with. `instrument`: what else it takes. */
export function watchWebSockets(instrument: (instrumentation: HttpInstrumentation) => void = () => undefined): void {
  let instrumentation: HttpInstrumentation | undefined;
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    instrumentation = new HttpInstrumentation({ inbound: false });
    instrument(instrumentation);
  });
  afterAll(() => {
    instrumentation?.disable();
    context.disable();
  });
}

/** Answers each question in two pieces, text and bytes, between pings; ends as it is told after the second. */
export async function startTalker({
  perMessageDeflate = false,
  ends,
}: Talk): Promise<{ url: string; stop(): Promise<void> }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate });
  server.on('connection', (socket) => {
    let asked = 0;
    socket.send(JSON.stringify({ type: 'session.created' }));
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => {
      if (isBinary) return;
      asked += 1;
      socket.ping();
      socket.send(JSON.stringify({ type: 'answer', text: `${JSON.parse(String(data)).text}? `.repeat(300) }));
      socket.send(Buffer.from([1, 2, asked]));
      if (asked < 2) return;
      if (ends === 'closed-by-server') socket.close(4001, 'enough');
      if (ends === 'dropped') socket.terminate();
    });
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      for (const client of server.clients) client.terminate();
      server.close(() => resolve());
    });
  return { url: `ws://127.0.0.1:${port}/v1/realtime?model=m`, stop };
}

/** What an agent of a test calls for each text that it is told. */
export const note = tool('note', async (text: string) => `noted ${text.length}`, { effect: 'write' });

/** One agent that converses over a WebSocket, while its run is recorded and again in replays, and writes down what it sees. */
export class Talker {
  private said: Said = { url: '', says: [], closes: false };
  private log: string[] = [];
  private readonly talk: () => Promise<string>;

  constructor(converse: (said: Said, log: string[]) => Promise<string>) {
    this.talk = agent('talker', async () => converse(this.said, this.log));
  }

  async recorded(talk: Talk): Promise<RecordedTalk> {
    const server = await startTalker(talk);
    const said = { url: server.url, says: ['a', 'b'], closes: talk.ends === 'closed-by-client' };
    let end = '';
    const run = async (): Promise<void> => {
      end = await this.talk();
    };
    const { result: recording, log } = await this.logged(said, () => recordRun(run));
    await server.stop();
    return { said, recording, log, end };
  }

  replayed(recording: Recording, said: Said): Promise<{ result: ReplayResult<string>; log: string[] }> {
    return this.logged(said, () => replay({ recording, run: () => this.talk() }));
  }

  private async logged<Result>(said: Said, act: () => Promise<Result>): Promise<{ result: Result; log: string[] }> {
    this.said = said;
    this.log = [];
    return { result: await act(), log: this.log };
  }
}
