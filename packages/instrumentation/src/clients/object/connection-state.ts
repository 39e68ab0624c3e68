import { type Context, context as contexts } from '@opentelemetry/api';
import { pristine } from '../../host/pristine.ts';
import { guarded } from '../../host/report-failure.ts';
import { runInContext } from '../../host/run-in-context.ts';

/** Where a client stands that a replay keeps from connecting. */
export type ConnectionStage = 'new' | 'opening' | 'ready' | 'closed';

/** How a client says whether it is connected. In a replay it is not, and says what the calls that were answered mean. */
export interface ConnectionState {
  /** What a member says; `real`: what the client itself says, undefined where there is none. */
  readonly members: Readonly<
    Record<string, (stage: ConnectionStage, real: unknown, client: object | undefined) => unknown>
  >;
  /** The method that connects, whose failure leaves the client closed. */
  readonly connect: string;
  /** Whether a call of this method means that there is a connection; default: of `connect` only. */
  readonly needsConnection?: (method: string) => boolean;
  readonly closes: readonly string[];
  /** Whether the client itself is closed. What closes it, and is no crossing, is not called on one that is: it may throw. */
  readonly isClosed?: (client: object) => boolean;
  /**
   * Of a client that has ended only a moment after it was closed: what then tells its listeners, in the place of a connection that a
   * replay has not. Undefined where the client itself tells them of this call.
   */
  readonly endOf?: (client: object, method: string, stage: ConnectionStage) => (() => void) | undefined;
  /** What `endOf` gives is told before the answer is handed on, and not a moment later. */
  readonly endsAtOnce?: true;
  /**
   * Of an answered call by which the client has connected: what tells its listeners that it is about to, and that it has, before the answer
   * is handed on.
   */
  readonly openingOf?: (
    client: object,
    method: string,
    stage: ConnectionStage,
  ) => readonly [opening: () => void, opened: () => void] | undefined;
  /** Of an error by which it is seen that there is no connection: what tells listeners that it was lost. */
  readonly lostBy?: (client: object, method: string, error: unknown) => (() => void) | undefined;
  /**
   * Of a call that closes the connection for the client to open it again: what tells its listeners of that, each a moment after the
   * other, in the place of a client that a replay leaves out. `itself`: the client does both. Undefined of any other call.
   */
  readonly reopening?: (
    client: object,
    method: string,
    parameters: readonly unknown[],
  ) => readonly (() => void)[] | 'itself' | undefined;
}

/** Follows the answered calls of one client. */
export class FollowedConnection {
  private readonly state: ConnectionState;
  private readonly context: Context = contexts.active();
  private stage: ConnectionStage = 'new';

  constructor(state: ConnectionState) {
    this.state = state;
  }

  /** Whether a member is one that says whether there is a connection. */
  has(member: PropertyKey): boolean {
    return Object.hasOwn(this.state.members, member);
  }

  member(name: string, client: object | undefined): unknown {
    return this.state.members[name]?.(this.stage, client && Reflect.get(client, name), client);
  }

  /** Whether what was called closes it, which then is so, or is a moment after this is answered. */
  closed(method: string, client: object | undefined, served?: unknown): boolean {
    if (!this.state.closes.includes(method)) return false;
    const { endOf } = this.state;
    const find = (): ReturnType<NonNullable<typeof endOf>> => client && endOf?.(client, method, this.stage);
    const tell = guarded('looking for the end of a connection', find, undefined);
    if (this.stage === 'closed' || tell === undefined) {
      this.stage = 'closed';
      return true;
    }
    if (!(served instanceof Promise)) {
      this.end(tell);
      return true;
    }
    this.reached('new', 'opening');
    const fail = (): void => {
      this.stage = 'closed';
    };
    served.then(() => this.end(tell), fail);
    return true;
  }

  /** As `closed`; whether it is to be left out, for answers alone have opened what it closes. */
  closesAnswered(method: string, client: object | undefined, parameters: readonly unknown[]): boolean {
    const { reopening } = this.state;
    const find = (): ReturnType<NonNullable<typeof reopening>> => client && reopening?.(client, method, parameters);
    const reopened = guarded('looking whether a connection is opened again', find, undefined);
    if (reopened !== undefined) {
      if (reopened !== 'itself') this.reopen(reopened);
      return reopened !== 'itself';
    }
    const isOpen = this.stage === 'ready' || this.stage === 'opening';
    if (!this.closed(method, client) || !isOpen || client === undefined) return false;
    return guarded('looking whether a client is closed', () => this.state.isClosed?.(client), false) === true;
  }

  private reopen([tell, ...later]: readonly (() => void)[]): void {
    if (tell === undefined) return;
    pristine.setImmediate(() => {
      if (this.stage === 'closed') return;
      if (later.length === 0) this.reached('new', 'ready');
      runInContext(this.context, tell);
      this.reopen(later);
    });
  }

  /** As where a connection ends: mostly after the code that waits for the answer has gone on, and in the context that opened it. */
  private end(tell: () => void): void {
    const end = (): void => {
      if (this.stage === 'closed') return;
      this.stage = 'closed';
      runInContext(this.context, tell);
    };
    if (this.state.endsAtOnce === true) end();
    else pristine.setImmediate(end);
  }

  /** A call was answered without the client: with this, or a promise of it; `context`: that of its crossing. */
  answered(method: string, client: object | undefined, served: unknown, context = this.context): void {
    const { connect, needsConnection, openingOf } = this.state;
    if (this.closed(method, client, served)) return;
    if (method !== connect && needsConnection?.(method) !== true) return;
    if (!(served instanceof Promise)) {
      this.stage = 'ready';
      return;
    }
    const find = (): ReturnType<NonNullable<typeof openingOf>> => client && openingOf?.(client, method, this.stage);
    const opening = guarded('looking how a connection is opened', find, undefined);
    // It stays closed where the call fails; a client that tries again by itself may have answered.
    const from = this.stage === 'closed' && method !== connect ? 'closed' : 'opening';
    if (this.stage !== 'ready' && from === 'opening') this.stage = 'opening';
    served.then(
      () => this.opened(from, context, opening),
      (error: unknown) => this.failed(from, method, client, error),
    );
  }

  private opened(from: ConnectionStage, context: Context, [opening, opened]: readonly (() => void)[] = []): void {
    if (this.stage !== from) return;
    if (opening !== undefined) this.tell(opening, context);
    this.reached(from, 'ready');
    if (opened !== undefined) this.tell(opened, context);
  }

  /** A command that fails was answered as well, mostly. */
  private failed(from: ConnectionStage, method: string, client: object | undefined, error: unknown): void {
    const { lostBy, connect } = this.state;
    const find = (): ReturnType<NonNullable<typeof lostBy>> => client && lostBy?.(client, method, error);
    const tell = this.stage === 'closed' ? undefined : guarded('looking for the loss of a connection', find, undefined);
    if (tell !== undefined) {
      this.stage = 'closed';
      this.tell(tell);
    } else if (from === 'opening') this.reached('opening', method === connect ? 'closed' : 'ready');
  }

  /** What a listener of the host's throws is the host's, and no failure of what it was told beside. */
  private tell(tell: () => void, context = this.context): void {
    try {
      runInContext(context, tell);
    } catch (error) {
      pristine.setImmediate(() => {
        throw error;
      });
    }
  }

  private reached(from: ConnectionStage, stage: ConnectionStage): void {
    if (this.stage === from) this.stage = stage;
  }
}
