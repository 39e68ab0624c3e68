import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A window of Firefox, driven as it lets itself be driven: by WebDriver BiDi, JSON over a WebSocket. */
export interface FirefoxWindow {
  /** Errors that scripts of its pages left to the console. */
  readonly complaints: readonly string[];
  open(url: string): Promise<void>;
  /** The value of an expression in its page, as far as JSON has it. */
  evaluate(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly message?: string;
  readonly params?: { readonly level?: string; readonly text?: string };
}

/** Commands of one session, and what comes of its own accord. */
class BidiSession {
  readonly complaints: string[] = [];
  private readonly socket: WebSocket;
  private readonly waiting = new Map<number, PromiseWithResolvers<unknown>>();
  private lastId = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.addEventListener('message', ({ data }) => this.take(JSON.parse(String(data)) as Message));
    socket.addEventListener('close', () => {
      for (const { reject } of this.waiting.values()) reject(new Error('Firefox has closed its connection.'));
    });
  }

  command(method: string, params: object): Promise<unknown> {
    this.lastId += 1;
    const waited = Promise.withResolvers<unknown>();
    this.waiting.set(this.lastId, waited);
    this.socket.send(JSON.stringify({ id: this.lastId, method, params }));
    return waited.promise;
  }

  private take({ id, method, result, message, params }: Message): void {
    if (method === 'log.entryAdded' && params?.level === 'error') this.complaints.push(params.text ?? '');
    const waited = this.waiting.get(id ?? 0);
    if (waited === undefined) return;
    this.waiting.delete(id ?? 0);
    if (result === undefined) waited.reject(new Error(message));
    else waited.resolve(result);
  }
}

/** The address at which a Firefox says that it may be driven. */
async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('Firefox was started without a pipe.');
  for await (const line of createInterface(stderr)) {
    const address = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      stderr.resume();
      return `${address}/session`;
    }
  }
  throw new Error('Firefox ended before it could be driven.');
}

async function openSession(address: string): Promise<BidiSession> {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const session = new BidiSession(socket);
  await session.command('session.new', { capabilities: {} });
  await session.command('session.subscribe', { events: ['log.entryAdded'] });
  return session;
}

/** Starts a Firefox that shows nothing, with a profile of its own. */
export async function openFirefox(program: string): Promise<FirefoxWindow> {
  const profile = await mkdtemp(join(tmpdir(), 'reenact-firefox-'));
  const flags = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0'];
  const firefox = spawn(program, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(firefox, 'exit');
  const close = async (): Promise<void> => {
    firefox.kill();
    await ended;
    await rm(profile, { recursive: true, force: true });
  };
  const session = await openSession(await addressOf(firefox)).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const { contexts } = (await session.command('browsingContext.getTree', {})) as { contexts: { context: string }[] };
  const context = contexts[0]?.context;
  return {
    complaints: session.complaints,
    open: async (url) => {
      await session.command('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    evaluate: async (expression) => {
      const written = `(async () => JSON.stringify([await (${expression})]))()`;
      const asked = { expression: written, target: { context }, awaitPromise: true };
      const answer = await session.command('script.evaluate', asked);
      const { result, exceptionDetails } = answer as {
        result?: { value: string };
        exceptionDetails?: { text: string };
      };
      if (result === undefined) throw new Error(exceptionDetails?.text);
      return (JSON.parse(result.value) as unknown[])[0];
    },
    close,
  };
}
