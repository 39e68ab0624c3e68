import { pristine } from '@reenact/instrumentation';
import { REACTION_TURNS, REACTION_TURNS_MAX } from '../../limits.ts';
import { hasImmediates, isQuiet } from './quiet-process.ts';

/** What is asked while the agent reacts, and told when it has. */
export interface ReactionTurnsOptions {
  /** The agent has reacted; may throw what the agent's code throws. */
  readonly reacted: () => void;
  /** Whether a quiet process is enough to go on; else the turns are always waited for. */
  readonly mayGoOnWhenQuiet: () => boolean;
  /** Whether what comes next could overtake something that is on its way. Default: it could. */
  readonly mayOvertake?: (() => boolean) | undefined;
  /** Default: whether anything of this process can run before the event loop has turned. */
  readonly isQuiet?: ((ownImmediates: number) => boolean) | undefined;
}

/** Immediates of all replays of this process that have still to run: all others are the agent's. */
let ownImmediates = 0;

/**
 * Waits until the agent has reacted to what it was given: two turns of the event loop, and as long as immediates go on. Where nothing of the process is
 * left after one that could run later, the agent has reacted, and more turns would change nothing. One immediate a turn: where another follows,
 * Node.js runs what the first released between the two, which is a line of the stacks that are made there.
 */
export class ReactionTurns {
  private readonly options: ReactionTurnsOptions;
  private readonly isQuiet: (ownImmediates: number) => boolean;
  private immediate: NodeJS.Immediate | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isWaiting = false;
  private turnsLeft = 0;
  private isHolding = true;

  constructor(options: ReactionTurnsOptions) {
    this.options = options;
    this.isQuiet = options.isQuiet ?? isQuiet;
  }

  /** Begins to wait, or begins again. `isHolding`: the process stays for it. */
  begin(isHolding: boolean): void {
    this.turnsLeft = REACTION_TURNS;
    this.isWaiting = true;
    if (isHolding !== this.isHolding) this.clear();
    this.isHolding = isHolding;
    if (!this.isSet) this.set();
  }

  /** Goes on to wait with the turns that are left. */
  hold(isHolding: boolean): void {
    if (!this.isWaiting || isHolding === this.isHolding) return;
    this.clear();
    this.isHolding = isHolding;
    this.set();
  }

  /** Waits no more. */
  stop(): void {
    this.isWaiting = false;
    this.clear();
  }

  private get isSet(): boolean {
    return this.immediate !== undefined || this.timer !== undefined;
  }

  private clear(): void {
    if (this.immediate !== undefined) {
      pristine.clearImmediate(this.immediate);
      ownImmediates -= 1;
    }
    if (this.timer !== undefined) pristine.clearTimeout(this.timer);
    this.immediate = undefined;
    this.timer = undefined;
  }

  private set(): void {
    if (this.isHolding) {
      ownImmediates += 1;
      this.immediate = pristine.setImmediate(this.look);
    } else {
      this.timer = pristine.setTimeout(this.look, 1);
      this.timer.unref();
    }
  }

  private readonly look = (): void => {
    if (this.immediate !== undefined) ownImmediates -= 1;
    this.immediate = undefined;
    this.timer = undefined;
    this.turnsLeft -= 1;
    try {
      if (this.isWaiting) this.goOn();
    } finally {
      if (this.isWaiting && !this.isSet) this.set();
    }
  };

  /** Of what takes several turns, such as a request that is written and an answer that is read, none is overtaken. */
  private isOnTheWay(): boolean {
    if (this.turnsLeft <= REACTION_TURNS - REACTION_TURNS_MAX || this.options.mayOvertake?.() === false) return false;
    return hasImmediates(ownImmediates);
  }

  private goOn(): void {
    const isShort = this.isHolding && this.options.mayGoOnWhenQuiet() && this.isQuiet(ownImmediates);
    if (!isShort && (this.turnsLeft > 0 || this.isOnTheWay())) return;
    this.isWaiting = false;
    this.options.reacted();
  }
}
