import type { Context } from '@opentelemetry/api';
import {
  guarded,
  isInRun,
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
import type { McpClient, McpTransport, NamedClient } from './internal-types.ts';
import { type TransportFacts, transportFacts } from './transport-facts.ts';

/** How the handshake of a connection is answered while `connect` runs. */
export interface Handshake {
  /** Given in a replay: answers `initialize` instead of the server. */
  readonly served?: { readonly result: unknown; readonly sessionId: string | undefined };
  /** The server's answer, or what was served. */
  result?: unknown;
}

/** A request, be it that its answer has not come yet, or that it is the last one that a run has made. */
export interface RequestUnderWay {
  readonly crossing: OpenCrossing;
  /** How many messages of the server belong to it. */
  delivered: number;
  /** The ids of what the server asked among them, in the order in which it did. */
  readonly asked: unknown[];
  /** What it has been marked with. */
  readonly reasons: Set<string>;
}

/** Told what the host answers; undefined where the server has taken its request back. */
type AnswerSeen = (answer: object | undefined) => void;

/** A run that asks a server, and its last request. */
interface Asker {
  readonly run: RunState;
  readonly last: RequestUnderWay;
}

/** A request of the server that is recorded: what came while the request around it was under way, or behind it. */
export interface ArrivedQuestion {
  readonly around: RequestUnderWay;
  /** Its place in what the server asked. */
  readonly place: number;
}

interface AnswerAwaited {
  readonly question: ArrivedQuestion | undefined;
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
  /** The only run that has ever asked it; undefined where none has, and where several have. */
  private asker: Asker | undefined;
  /** The run of the process, which sets up what its other runs use. */
  private process: Asker | undefined;
  private hasAskers = false;
  /** What a replay repeats messages inside of though its answer has come, by the span id of its crossing. */
  private readonly repeating = new Map<string, RequestUnderWay>();
  /** Those who wait for an answer to the server, by the id of its request. */
  private readonly answers = new Map<unknown, AnswerAwaited>();
  private deliveries = 0;

  constructor(transport: McpTransport | undefined) {
    this.transport = transport;
    this.facts = guarded('reading an MCP transport', () => transportFacts(transport), { type: 'custom' });
  }

  /** A request is under way from now on, made in this context. */
  begin(crossing: OpenCrossing, context: Context): RequestUnderWay {
    const request = this.noteAsked(crossing, context);
    this.underWay.set(crossing.spanId, request);
    return request;
  }

  /** The server was asked in this context, be it to connect. */
  noteAsked(crossing: OpenCrossing, context: Context): RequestUnderWay {
    const request = { crossing, delivered: 0, asked: [], reasons: new Set<string>() };
    guarded('noting who asks a server', () => this.isAskedIn(context, request), undefined);
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
    const own = scope === undefined ? undefined : (this.underWay.get(scope.spanId) ?? this.repeating.get(scope.spanId));
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

  /**
   * The request that a message belongs to which comes while none is under way: the last one of the only run that has ever asked the server, while
   * that goes on; of that of the process where no other has. Where several have, it may be meant for any of them, also for one that is over.
   */
  get lastAsked(): RequestUnderWay | undefined {
    const only = this.hasAskers ? this.asker : this.process;
    return only !== undefined && only.run.openRoots > 0 ? only.last : undefined;
  }

  /** Messages are repeated inside a request whose answer has been served. */
  repeatBehind(request: RequestUnderWay): void {
    this.repeating.set(request.crossing.spanId, request);
  }

  private isAskedIn(context: Context, last: RequestUnderWay): void {
    for (const run of this.runs.keys()) if (run.openRoots === 0) this.runs.delete(run);
    const { context: within } = last.crossing;
    // What nothing encloses but the process is not in the context of that.
    const isOfProcess = !isInRun(within);
    const run = scopeOf(isOfProcess ? within : context)?.run;
    if (run === undefined) return;
    this.runs.set(run, within);
    if (isOfProcess) {
      this.process = { run, last };
      return;
    }
    const isFirst = !this.hasAskers || this.asker?.run === run;
    this.hasAskers = true;
    this.asker = isFirst ? { run, last } : undefined;
  }

  /** Marks the other runs of the process: what one of them is told, whose replay tells it again, may be in the memory of all. */
  saysToOne(client: NamedClient, method: string, { crossing }: RequestUnderWay): void {
    const place = `what the MCP server ${this.serverName(client)} says to another run (${method})`;
    recordHeard(crossing.context, { place, package: undefined, isLacking: () => false });
    recordArrival(place);
  }

  /** Marks the run of a context: a replay refuses what it listens by. */
  listens(client: NamedClient, context: Context): void {
    const place = `what the MCP server ${this.serverName(client)} tells who listens (subscriptions/listen)`;
    recordHeard(context, { place, package: undefined });
  }

  /** Marks the runs that it may matter to: a replay has nothing at which it could say this again. */
  saysByItself(client: NamedClient, method: string): void {
    const place = `what the MCP server ${this.serverName(client)} says by itself (${method})`;
    for (const context of this.runs.values()) recordHeard(context, { place, package: undefined });
    recordArrival(place);
  }

  /** Tells what the host answers to a request of the server that is recorded. */
  onAnswer(id: unknown, question: ArrivedQuestion, seen: AnswerSeen): void {
    const before = this.answers.get(id);
    this.answers.set(id, {
      question,
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
    return new Promise((resolve) => this.answers.set(id, { question: undefined, seen: () => resolve() }));
  }

  /** The recorded request of the server that waits for an answer under this id. */
  questionOf(id: unknown): ArrivedQuestion | undefined {
    return this.answers.get(id)?.question;
  }

  /** The server has taken a request of its own back: its handler is told, and answers nobody. */
  tookBack(id: unknown): void {
    const waiting = this.answers.get(id);
    this.answers.delete(id);
    waiting?.seen(undefined);
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
  serverName(client: NamedClient): string {
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
