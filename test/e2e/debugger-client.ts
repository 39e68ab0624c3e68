/** One frame of a stopped program, as the engine counts: line from 0. */
export interface CallFrame {
  readonly functionName: string;
  readonly callFrameId: string;
  readonly url: string;
  readonly line: number;
}

/** A stop of the program that is debugged. */
export interface Stop {
  readonly reason: string;
  readonly frames: readonly CallFrame[];
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

interface PausedParameters {
  readonly reason: string;
  readonly callFrames: readonly {
    readonly functionName: string;
    readonly callFrameId: string;
    readonly location: { readonly scriptId: string; readonly lineNumber: number };
  }[];
}

/** A debugger as editors have one: connects, lets the program run, and sees where it stops. */
export class DebuggerClient {
  private readonly socket: WebSocket;
  private readonly scripts = new Map<string, string>();
  private readonly answers = new Map<number, (result: unknown) => void>();
  private readonly stops: Stop[] = [];
  private wake: () => void = () => undefined;
  private sent = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.addEventListener('message', ({ data }) => this.take(JSON.parse(String(data)) as Message));
    socket.addEventListener('close', () => this.wake());
  }

  /** Connects to the address the program printed. */
  static async connect(url: string): Promise<DebuggerClient> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', reject, { once: true });
    });
    const client = new DebuggerClient(socket);
    await client.send('Runtime.enable');
    await client.send('Debugger.enable');
    return client;
  }

  /** Lets a program go on that waits for a debugger. */
  run(): Promise<unknown> {
    return this.send('Runtime.runIfWaitingForDebugger');
  }

  resume(): Promise<unknown> {
    return this.send('Debugger.resume');
  }

  /** The next stop; undefined where the program has gone. */
  async nextStop(): Promise<Stop | undefined> {
    while (this.stops.length === 0 && this.socket.readyState === WebSocket.OPEN) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    return this.stops.shift();
  }

  /** The value of an expression in a frame of the stopped program. */
  async evaluate({ callFrameId }: CallFrame, expression: string): Promise<unknown> {
    const answer = await this.send('Debugger.evaluateOnCallFrame', { callFrameId, expression });
    return (answer as { result: { value?: unknown } }).result.value;
  }

  close(): void {
    this.socket.close();
  }

  private send(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    this.sent += 1;
    const id = this.sent;
    this.socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => this.answers.set(id, resolve));
  }

  private take({ id, method, params, result }: Message): void {
    if (id !== undefined) this.answers.get(id)?.(result);
    if (method === 'Debugger.scriptParsed') {
      const { scriptId, url } = params as { scriptId: string; url: string };
      this.scripts.set(scriptId, url);
    }
    // At the end of the program, Node.js waits for its debugger to go.
    if (method === 'NodeRuntime.waitingForDisconnect' || method === 'Runtime.executionContextDestroyed') this.close();
    if (method !== 'Debugger.paused') return;
    this.stops.push(this.stopOf(params as PausedParameters));
    this.wake();
  }

  private stopOf({ reason, callFrames }: PausedParameters): Stop {
    const frames = callFrames.map(({ functionName, callFrameId, location }) => ({
      functionName,
      callFrameId,
      url: this.scripts.get(location.scriptId) ?? '',
      line: location.lineNumber,
    }));
    return { reason, frames };
  }
}
