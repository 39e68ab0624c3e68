import type { Context } from '@opentelemetry/api';
import { guarded, membersOf, type OpenCrossing, reportFailure, stringOf } from '@reenact/instrumentation';
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
  /** Requests under way, to be marked where something happens meanwhile that is not recorded, and what they are marked with. */
  private readonly marked = new Map<OpenCrossing, Set<string>>();

  constructor(transport: McpTransport | undefined) {
    this.transport = transport;
    this.facts = guarded('reading an MCP transport', () => transportFacts(transport), { type: 'custom' });
  }

  /** A request is under way from now on. */
  begin(crossing: OpenCrossing): void {
    this.marked.set(crossing, new Set());
  }

  /** A request is no longer under way. */
  end(crossing: OpenCrossing): void {
    this.marked.delete(crossing);
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

  /** Marks every request under way, once for each reason, as one that a replay cannot serve wholly. */
  markLossy(reason: string): void {
    for (const [crossing, reasons] of this.marked) {
      if (reasons.has(reason)) continue;
      reasons.add(reason);
      crossing.markLossy(`/output ${reason}`);
    }
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
