/** Where a client stands that a replay keeps from connecting. */
export type ConnectionStage = 'new' | 'opening' | 'ready' | 'closed';

/** How a client says whether it is connected. In a replay it is not, and says what the calls that were answered mean. */
export interface ConnectionState {
  /** What a member says; `real`: what the client itself says, undefined where there is none. */
  readonly members: Readonly<Record<string, (stage: ConnectionStage, real: unknown) => unknown>>;
  /** The method that connects, whose failure leaves the client closed. */
  readonly connect: string;
  /** Whether a call of this method means that there is a connection; default: of `connect` only. */
  readonly needsConnection?: (method: string) => boolean;
  readonly closes: readonly string[];
}

/** Follows the answered calls of one client. */
export class FollowedConnection {
  private readonly state: ConnectionState;
  private stage: ConnectionStage = 'new';

  constructor(state: ConnectionState) {
    this.state = state;
  }

  /** Whether a member is one that says whether there is a connection. */
  has(member: PropertyKey): boolean {
    return Object.hasOwn(this.state.members, member);
  }

  member(name: string, real: unknown): unknown {
    return this.state.members[name]?.(this.stage, real);
  }

  /** Whether what was called closes it, which then is so. */
  closed(method: string): boolean {
    const isClosing = this.state.closes.includes(method);
    if (isClosing) this.stage = 'closed';
    return isClosing;
  }

  /** A call was answered without the client: with this, or a promise of it. */
  answered(method: string, served: unknown): void {
    const { connect, needsConnection } = this.state;
    if (this.closed(method)) return;
    if (method !== connect && needsConnection?.(method) !== true) return;
    if (!(served instanceof Promise)) {
      this.stage = 'ready';
      return;
    }
    if (this.stage === 'closed' && method !== connect) {
      // It stays so where the call fails; a client that tries again by itself may have answered.
      served.then(
        () => this.reached('closed', 'ready'),
        () => undefined,
      );
      return;
    }
    if (this.stage !== 'ready') this.stage = 'opening';
    // A command that fails was answered as well.
    served.then(
      () => this.reached('opening', 'ready'),
      () => this.reached('opening', method === connect ? 'closed' : 'ready'),
    );
  }

  private reached(from: ConnectionStage, stage: ConnectionStage): void {
    if (this.stage === from) this.stage = stage;
  }
}
