import type { Context } from '@opentelemetry/api';
import {
  guarded,
  membersOf,
  type OpenCrossing,
  type RunState,
  recordArrival,
  recordHeard,
  reportFailure,
  scopeOf,
  stringOf,
} from '@reenact/instrumentation';
import type { Effect } from '@reenact/trace-model';
import type { McpClient, McpTransport } from './internal-types.ts';
import { type TransportFacts, transportFacts } from './transport-facts.ts';

/** How the handshake of a connection is answered while `connect` runs. */
export interface Handshake {
  /** Given in a replay: answers `initialize` instead of the server. */
  readonly served?: { readonly result: unknown; readonly sessionId: string | undefined };
  /** The server's answer, or what was served. */
  result?: unknown;
}

/** A request whose answer has not come yet. */
export interface RequestUnderWay {
  readonly crossing: OpenCrossing;
  /** How many messages of the server came meanwhile. */
  delivered: number;
  /** What it has been marked with. */
  readonly reasons: Set<string>;
}

type AnswerSeen = (answer: object) => void;

interface AnswerAwaited {
  readonly crossing: OpenCrossing | undefined;
  readonly seen: AnswerSeen;
}

/** What is known about the server at the other end of one client. */
export class Connection {
  readonly facts: TransportFacts;
  /** Present while `connect` runs. */
  handshake: Handshake | undefined;
  /** The context in which the host connected; what the server asks the client runs there. */
  context: Context | undefined;
  private readonly transport: McpTransport | undefined;
  private name: string | undefined;
  private version: string | undefined;
  private effects = new Map<string, Effect>();
  /** Whether what goes out over the transport passes here, so that answers to the server are seen. */
  seesAnswers = false;
  /** By the span id of its crossing, in the order in which they were sent. */
  private readonly underWay = new Map<string, RequestUnderWay>();
  /** The runs that have asked the server and go on, each with a context of it. */
  private readonly runs = new Map<RunState, Context>();
  /** Those who wait for an answer to the server, by the id of its request. */
  private readonly answers = new Map<unknown, AnswerAwaited>();
  private deliveries = 0;

  constructor(transport: McpTransport | undefined) {
    this.transport = transport;
    this.facts = guarded('reading an MCP transport', () => transportFacts(transport), { type: 'custom' });
  }

  /** A request is under way from now on. */
  begin(crossing: OpenCrossing): RequestUnderWay {
    const request = { crossing, delivered: 0, reasons: new Set<string>() };
    this.underWay.set(crossing.spanId, request);
    guarded('noting who asks a server', () => this.isAskedIn(crossing.context), undefined);
    return request;
  }

  /** Whether a request is under way. */
  get isAsked(): boolean {
    return this.underWay.size > 0;
  }

  /** A request is no longer under way. */
  end({ spanId }: OpenCrossing): void {
    this.underWay.delete(spanId);
  }

  /**
   * The request that a message of the server belongs to: the one whose answer it came with, where the transport tells, else of those of
   * one trace the one that was sent last. Undefined where none is under way, or where it may be another run's: what one user is asked
   * must not stand in the recording of another.
   */
  requestAround(context: Context): RequestUnderWay | undefined {
    const scope = scopeOf(context);
    const own = scope === undefined ? undefined : this.underWay.get(scope.spanId);
    if (own !== undefined) return own;
    const all = [...this.underWay.values()];
    const traces = new Set(all.map(({ crossing }) => scopeOf(crossing.context)?.traceId));
    return traces.size > 1 ? undefined : all.at(-1);
  }

  /** Marks every request under way, once for each reason, as one that a replay cannot serve wholly. */
  markLossy(reason: string): void {
    for (const { crossing, reasons } of this.underWay.values()) {
      if (reasons.has(reason)) continue;
      reasons.add(reason);
      crossing.markLossy(`/output ${reason}`);
    }
  }

  /** Whoever runs in this context may hear what the server says by itself. */
  isAskedIn(context: Context): void {
    for (const run of this.runs.keys()) if (run.openRoots === 0) this.runs.delete(run);
    const run = scopeOf(context)?.run;
    if (run !== undefined) this.runs.set(run, context);
  }

  /** Marks the runs that it may matter to: a replay has nothing at which it could say this again. */
  saysByItself(client: McpClient, method: string): void {
    const place = `what the MCP server ${this.serverName(client)} says by itself (${method})`;
    for (const context of this.runs.values()) recordHeard(context, { place, package: undefined });
    recordArrival(place);
  }

  /** Tells what the host answers to a request of the server, which is `crossing`. */
  onAnswer(id: unknown, crossing: OpenCrossing, seen: AnswerSeen): void {
    const before = this.answers.get(id);
    this.answers.set(id, {
      crossing,
      seen: (answer) => {
        seen(answer);
        before?.seen(answer);
      },
    });
  }

  /** An id for a request that a replay makes in place of the server. */
  nextDeliveryId(): string {
    this.deliveries += 1;
    return `recorded-${this.deliveries}`;
  }

  /** Resolves when the client answers a request of that id. */
  whenAnswered(id: unknown): Promise<void> {
    return new Promise((resolve) => this.answers.set(id, { crossing: undefined, seen: () => resolve() }));
  }

  /** The server has taken a request of its own back: its handler is told, and answers nobody. */
  tookBack(id: unknown): void {
    const waiting = this.answers.get(id);
    this.answers.delete(id);
    waiting?.crossing?.markLossy('/output the server took its request back, which is not replayed');
    waiting?.crossing?.abandon();
  }

  /** Looks at what the client sends: never throws. */
  sent(message: unknown): void {
    const see = (): void => {
      const { id, method, result, error } = membersOf(message);
      if (id === undefined || method !== undefined) return;
      const waiting = this.answers.get(id);
      this.answers.delete(id);
      waiting?.seen(error === undefined ? { result } : { error });
    };
    guarded('seeing an answer to a server', see, undefined);
  }

  /** Sends an answer to the server that no handler of the host has given. */
  answer(id: unknown, answer: object): void {
    const sending = this.transport?.send({ jsonrpc: '2.0', id, ...answer });
    sending?.catch((error: unknown) => reportFailure('answering a server of MCP', error));
  }

  /** Remembers what `initialize` said about the server. */
  learnServer(initialized: unknown): void {
    const { serverInfo, protocolVersion } = membersOf(initialized);
    this.name = stringOf(membersOf(serverInfo).name);
    this.version = stringOf(protocolVersion);
  }

  /** Remembers the effects that a page of tools declares. */
  learnTools(listed: unknown): void {
    const { tools } = membersOf(listed);
    if (!Array.isArray(tools)) return;
    for (const tool of tools as unknown[]) {
      const { name, annotations } = membersOf(tool);
      const { readOnlyHint, destructiveHint } = membersOf(annotations);
      if (typeof name !== 'string') continue;
      this.effects.set(name, readOnlyHint === true ? 'read' : destructiveHint === true ? 'destructive' : 'write');
    }
  }

  /** What calling a tool does to the world; unlisted tools count as `write`. */
  effectOfTool(name: string): Effect {
    return this.effects.get(name) ?? 'write';
  }

  /** The server's own name. */
  serverName(client: McpClient): string {
    return this.name ?? stringOf(client.getServerVersion?.()?.name) ?? 'unknown';
  }

  /** Id of the HTTP session, where there is one. */
  get sessionId(): string | undefined {
    return stringOf(this.transport?.sessionId);
  }

  /** The protocol version agreed on. */
  get protocolVersion(): string | undefined {
    return this.version;
  }

  /** Closes a served connection as its server closed the real one: the host's `onclose` is called, once. */
  closeServed(): void {
    this.transport?.close().catch((error: unknown) => reportFailure('closing a served connection of MCP', error));
  }
}

const connections = new WeakMap<object, Connection>();

/** The connection of a client; one that was connected before it was instrumented gets it from its transport. */
export function connectionOf(client: McpClient): Connection {
  const known = connections.get(client);
  if (known !== undefined) return known;
  const made = new Connection(client.transport);
  connections.set(client, made);
  return made;
}

/** Begins a new connection of a client. */
export function beginConnection(client: McpClient, transport: McpTransport): Connection {
  const made = new Connection(transport);
  connections.set(client, made);
  return made;
}
