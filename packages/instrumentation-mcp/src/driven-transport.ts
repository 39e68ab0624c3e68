import { type Context, context as contexts } from '@opentelemetry/api';
import { guarded, membersOf, type OpenCrossing, runInContext } from '@reenact/instrumentation';
import { ATTR_ERROR_TYPE } from '@reenact/semconv/core';
import { Connection } from './connection.ts';
import type { McpMessage, McpTransport, NamedClient } from './internal-types.ts';

type Listener = (...parameters: unknown[]) => unknown;

/** A request that was sent, and is not answered yet. */
interface Sent {
  readonly crossing: OpenCrossing;
  readonly message: McpMessage;
}

/** How a request ended: by an answer, or by the connection. */
export type SentOutcome = { readonly result: unknown } | { readonly error: unknown } | { readonly closed: true };

/** A transport that a client which nobody patches talks over, as that of the AI SDK does. */
export class DrivenTransport {
  readonly connection: Connection;
  /** Where it was started; what it hears is handed on there. */
  readonly context: Context = contexts.active();
  /** The selector of its start, where that was answered from a recording: it leads nowhere then. */
  servedBy: string | undefined;
  private readonly transport: McpTransport;
  private readonly sent = new Map<unknown, Sent>();
  private hasClosed = false;

  constructor(transport: McpTransport) {
    this.transport = transport;
    this.connection = new Connection(transport);
  }

  /** Stands for the client: the server is called like the transport until it has said its name. */
  clientOf(id: unknown): NamedClient {
    return { _requestMessageId: id, getServerVersion: () => ({ name: this.connection.facts.type }) };
  }

  /** A request is under way from now on. */
  begin(id: unknown, sent: Sent): void {
    this.sent.set(id, sent);
    this.connection.begin(sent.crossing, contexts.active());
  }

  /** Sees what the server says, and that it goes, before the client does. */
  hear(): void {
    this.listen('onmessage', ([message]) => this.heard(message));
    this.listen('onclose', () => {
      for (const id of [...this.sent.keys()]) this.settle(id, { closed: true });
    });
  }

  /** A request failed as it was sent. */
  fail(id: unknown, error: unknown): void {
    const sent = this.sent.get(id);
    this.forget(id);
    sent?.crossing.settle({ type: 'threw', error });
  }

  /** Remembers what an answer says about the server. */
  learn({ method }: McpMessage, outcome: SentOutcome): void {
    const { result } = membersOf(outcome);
    if (method === 'initialize') this.connection.learnServer(result);
    if (method === 'tools/list') this.connection.learnTools(result);
  }

  /** Gives the client what a recording holds as the end of a request. */
  deliver(id: unknown, message: McpMessage, outcome: unknown): void {
    if (this.hasClosed) return;
    const { closed, ...answer } = membersOf(outcome);
    if (closed === true) {
      this.close();
      return;
    }
    guarded('reading a served answer of MCP', () => this.learn(message, answer as SentOutcome), undefined);
    runInContext(this.context, () => this.hand({ jsonrpc: '2.0', id, ...answer }));
  }

  /** As transports do: what a client throws at a message, such as the answer to a request that it waits for no longer, it is told itself. */
  private hand(message: object): void {
    const { transport } = this;
    try {
      transport.onmessage?.(message);
    } catch (thrown) {
      transport.onerror?.(thrown);
    }
  }

  /** What a transport that leads nowhere does when it is closed. */
  close(): void {
    if (this.hasClosed) return;
    this.hasClosed = true;
    runInContext(this.context, () => this.transport.onclose?.());
  }

  private heard(message: unknown): void {
    const { id, method, result, error } = membersOf(message);
    if (typeof method !== 'string') this.settle(id, error === undefined ? { result } : { error });
    else if (this.connection.isAsked) this.connection.markLossy(`a message of the server (${method}) is not replayed`);
    else if (method !== 'ping') this.connection.saysByItself(this.clientOf(undefined), method);
  }

  private settle(id: unknown, outcome: SentOutcome): void {
    const sent = this.sent.get(id);
    if (sent === undefined) return;
    this.forget(id);
    const { crossing, message } = sent;
    guarded('describing an answer of MCP', () => this.describe(crossing, message, outcome), undefined);
    crossing.settle({ type: 'returned', value: outcome });
  }

  private describe(crossing: OpenCrossing, message: McpMessage, outcome: SentOutcome): void {
    this.learn(message, outcome);
    const { result, error } = membersOf(outcome);
    const { code } = membersOf(error);
    if (code !== undefined) crossing.describe({ slim: { [ATTR_ERROR_TYPE]: String(code) } });
    if (membersOf(result).isError === true) crossing.describe({ slim: { [ATTR_ERROR_TYPE]: 'tool_error' } });
  }

  private forget(id: unknown): void {
    const sent = this.sent.get(id);
    this.sent.delete(id);
    if (sent !== undefined) this.connection.end(sent.crossing);
  }

  /** Has whatever listener the client sets be called where the transport was started, behind `before`. */
  private listen(key: 'onmessage' | 'onclose', before: (parameters: readonly unknown[]) => void): void {
    const heard = (listener: unknown): unknown => {
      if (typeof listener !== 'function') return listener;
      return (...parameters: unknown[]): unknown => {
        guarded('hearing a server of MCP', () => before(parameters), undefined);
        return runInContext(this.context, () => Reflect.apply(listener as Listener, this.transport, parameters));
      };
    };
    let listener = heard(Reflect.get(this.transport, key));
    Object.defineProperty(this.transport, key, {
      get: () => listener,
      set: (given: unknown) => {
        listener = heard(given);
      },
      configurable: true,
      enumerable: true,
    });
  }
}
