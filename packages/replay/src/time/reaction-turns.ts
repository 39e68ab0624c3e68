import { pristine } from '@reenact/instrumentation';
import { LOOKS_PER_TURN_MAX, REACTION_TURNS, REACTION_TURNS_MAX } from '../limits.ts';
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
 * Waits until the agent has reacted to what it was given: two turns of the event loop, and as long as immediates go on. Turning the
 * loop costs as much as all the rest of an answer, so several immediates are set for one turn. Between two of them everything runs that was queued for this turn;
 * where nothing of the process is left then that could run later, the agent has reacted, and turns would change nothing.
 */
export class ReactionTurns {
  private readonly options: ReactionTurnsOptions;
  private readonly isQuiet: (ownImmediates: number) => boolean;
  private immediates: NodeJS.Immediate[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isWaiting = false;
  private isFirstLook = false;
  private turnsLeft = 0;
  private looksLeft = 0;
  /** How many looks one turn has: more while each of them finds that it may go on. */
  private looksPerTurn = 1;
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
    if (this.looksLeft === 0) this.set();
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

  private clear(): void {
    for (const immediate of this.immediates.slice(this.immediates.length - this.looksLeft)) {
      pristine.clearImmediate(immediate);
      ownImmediates -= 1;
    }
    if (this.timer !== undefined) pristine.clearTimeout(this.timer);
    this.timer = undefined;
    this.immediates = [];
    this.looksLeft = 0;
  }

  private set(): void {
    this.isFirstLook = true;
    if (!this.isHolding) {
      this.looksLeft = 1;
      this.timer = pristine.setTimeout(this.look, 1);
      this.timer.unref();
      return;
    }
    this.immediates = [];
    this.looksLeft = this.looksPerTurn;
    ownImmediates += this.looksPerTurn;
    for (let look = 0; look < this.looksPerTurn; look += 1) this.immediates.push(pristine.setImmediate(this.look));
  }

  private readonly look = (): void => {
    this.looksLeft -= 1;
    if (this.isHolding) ownImmediates -= 1;
    if (this.isFirstLook) this.turnsLeft -= 1;
    this.isFirstLook = false;
    try {
      if (this.isWaiting) this.goOn();
    } finally {
      if (this.isWaiting && this.looksLeft === 0) this.set();
    }
  };

  /** Of what takes several turns, such as a request that is written and an answer that is read, none is overtaken. */
  private isOnTheWay(): boolean {
    if (this.turnsLeft <= REACTION_TURNS - REACTION_TURNS_MAX || this.options.mayOvertake?.() === false) return false;
    return hasImmediates(ownImmediates);
  }

  private goOn(): void {
    const isShort = this.isHolding && this.options.mayGoOnWhenQuiet() && this.isQuiet(ownImmediates);
    if (!isShort && (this.turnsLeft > 0 || this.isOnTheWay())) {
      this.looksPerTurn = 1;
      return;
    }
    if (this.looksLeft === 0) this.looksPerTurn = isShort ? Math.min(this.looksPerTurn * 2, LOOKS_PER_TURN_MAX) : 1;
    this.isWaiting = false;
    this.options.reacted();
  }
}
