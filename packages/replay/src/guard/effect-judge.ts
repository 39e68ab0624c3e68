import { type Context, context as contexts, ROOT_CONTEXT } from '@opentelemetry/api';
import {
  callerLine,
  type FileEffect,
  gate,
  guarded,
  isOwnTelemetry,
  isSuppressedRequest,
  type Position,
  positionOf,
  type TelemetryTarget,
} from '@reenact/instrumentation';
import { ReenactError, type ReenactErrorOptions, toReenactError } from '@reenact/trace-model';
import type { AllowList } from './allow-list.ts';
import { type AttemptedEffect, effectTarget, refusalWording } from './attempted-effect.ts';
import { type ForbiddenEffect, type GuardedLaunch, type GuardedPlayer, isGuardedPlayer } from './guarded-player.ts';
import { isWatchman, isWatchmanSocket } from './source-tools.ts';
import { TelemetryHold } from './telemetry-hold.ts';

const watchmanNote = 'Watchman was looked for, which finds the files of a project, and was not there for the replay.';

/** What one call does: nothing, one thing, or several. */
export type AttemptedEffects = AttemptedEffect | readonly AttemptedEffect[] | undefined;

function asList(effects: AttemptedEffects): readonly AttemptedEffect[] {
  if (effects === undefined) return [];
  return 'type' in effects ? [effects] : effects;
}

/** One replay that is guarded. */
export interface GuardOwner {
  readonly player: GuardedPlayer;
  /** Whether code without a position belongs to this replay too. */
  readonly ownsProcess: boolean;
  readonly allowed: AllowList;
  /** See `GuardRequest.stopProcess`. */
  readonly stopProcess?: (() => void) | undefined;
  /** See `GuardRequest.threadHook`. */
  readonly threadHook?: string | undefined;
  /** See `GuardRequest.launch`. */
  readonly launch?: GuardedLaunch | undefined;
}

interface Replaying {
  readonly player: GuardedPlayer;
  readonly position: Position | undefined;
  readonly allowed: AllowList | undefined;
}

/** Writes the refusal to the report, and only then makes the error that tells of it. */
function report(
  { player, position }: Replaying,
  {
    message,
    next,
    allow = '',
    isConnection = false,
  }: Pick<ForbiddenEffect, 'message' | 'next' | 'allow' | 'isConnection'>,
  options: ReenactErrorOptions,
): ReenactError {
  player.reportForbidden({ message, next, allow, position, source: callerLine(), isConnection });
  return new ReenactError('replay-refused', message, { ...options, next });
}

/** Whether code stands in no run. */
function isOutside(position: Position | undefined): boolean {
  return (position ?? positionOf(gate.openedRootContext() ?? ROOT_CONTEXT))?.cursor === undefined;
}

/** What is guarded there in its turn, and answered from the recording, may be started again. */
function startedThere(player: GuardedPlayer, position: Position | undefined): boolean {
  // Code of a process run that no context reaches stands in that run.
  const at = position ?? positionOf(gate.openedRootContext() ?? ROOT_CONTEXT);
  return at !== undefined && player.startedProcesses?.(at) === true;
}

/** Decides about effects: those of code inside a replay that no boundary covers are reported, then refused. */
export class EffectJudge {
  private readonly owners = new Map<object, GuardOwner>();
  private outermost: string | undefined;
  private readonly telemetry = new TelemetryHold();

  /** How many replays are guarded. */
  get ownerCount(): number {
    return this.owners.size;
  }

  /** Guards one more replay; gives how to stop. */
  add(owner: GuardOwner): () => void {
    this.owners.set(owner.player, owner);
    return () => {
      if (this.owners.get(owner.player) === owner) this.owners.delete(owner.player);
    };
  }

  /** Names everything that `call` does synchronously for the function the user called, `http2.connect` not `net.connect`. */
  naming<Result>(name: string, call: () => Result): Result {
    const before = this.outermost;
    this.outermost ??= name;
    try {
      return call();
    } finally {
      this.outermost = before;
    }
  }

  /**
   * The error to fail an effect with, reported before it is given; undefined where it may happen. Never throws: where the
   * guard itself fails inside a replay, the effect is refused.
   */
  refusalOf(effectOf: () => AttemptedEffects): ReenactError | undefined {
    if (this.owners.size === 0) return undefined;
    const active = contexts.active();
    const replaying = this.replayAround(active);
    if (replaying === undefined) return undefined;
    try {
      for (const effect of asList(effectOf())) {
        const refusal = this.judge(effect, active, replaying);
        if (refusal !== undefined) return refusal;
      }
      return undefined;
    } catch (thrown) {
      const message = `A call was refused because the guard failed to judge it: ${toReenactError(thrown).message}`;
      const next = 'Nothing was done. Report this as a bug of Reenact.';
      return report(replaying, { message, next }, { cause: thrown });
    }
  }

  /**
   * The replay of this whole process that would refuse a change of a file: asked for what is done in another way then. Undefined where nobody
   * would, and in a process that other work shares. Reports nothing, and never throws.
   */
  whoRefuses(effectOf: () => FileEffect | undefined): GuardOwner | undefined {
    const owner = this.ownerOfProcess();
    if (owner === undefined) return undefined;
    const replaying = this.replayAround(contexts.active());
    if (replaying?.player !== owner.player || replaying.position?.isLive === true) return undefined;
    const effect = guarded('judging a file', effectOf, undefined);
    return effect !== undefined && !owner.allowed.allows(effect) ? owner : undefined;
  }

  /**
   * Whether an effect is to fail as where what it is aimed at is not there, for what asks does as well without; noted in the report. Never
   * throws.
   */
  isMissing(effectOf: () => AttemptedEffect | undefined): boolean {
    if (this.owners.size === 0) return false;
    const effect = guarded('judging whether it is there', effectOf, undefined);
    const isWanted =
      (effect?.type === 'program' && isWatchman(effect.program, effect.words)) ||
      (effect?.type === 'pipe' && isWatchmanSocket(effect.path));
    return isWanted && this.lacks(watchmanNote);
  }

  /** Has what the running code looks for not be there for the replay around it, and notes that; false where there is no replay, or this runs live. */
  lacks(note: string): boolean {
    const replaying = this.owners.size === 0 ? undefined : this.replayAround(contexts.active());
    if (replaying === undefined || replaying.position?.isLive === true) return false;
    replaying.player.noteUnguarded(note);
    return true;
  }

  /** What is allowed beyond the defaults to the code that runs now; undefined where no replay is around it. */
  allowedHere(): AllowList | undefined {
    return this.owners.size === 0 ? undefined : this.replayAround(contexts.active())?.allowed;
  }

  /** Whether what is sent here is telemetry that is held back, which the report has then. Never throws. */
  holds({ name, host, port }: TelemetryTarget): boolean {
    if (!isSuppressedRequest(contexts.active())) return false;
    return this.refusalOf(() => ({ type: 'host', name, host, port })) !== undefined;
  }

  /** Tells the replay around the running code about something the guard cannot see into. */
  note(text: string): void {
    this.replayAround(contexts.active())?.player.noteUnguarded(text);
  }

  /** The replay that everything in this process belongs to. */
  ownerOfProcess(): GuardOwner | undefined {
    for (const owner of this.owners.values()) if (owner.ownsProcess) return owner;
    return undefined;
  }

  /** Whether the running code is inside of a crossing that was asked to run for real. */
  isLive(): boolean {
    return this.owners.size > 0 && positionOf(contexts.active())?.isLive === true;
  }

  /** Whether the running code is inside a crossing of a replay, and knows it. */
  hasPosition(): boolean {
    return this.owners.size > 0 && positionOf(contexts.active()) !== undefined;
  }

  /** Whether what the running code does may be a run's own, and nothing of the process beside all runs. */
  isWithinRun(): boolean {
    const replaying = this.owners.size === 0 ? undefined : this.replayAround(contexts.active());
    return replaying !== undefined && replaying.player.standsWithin?.(replaying.position) !== false;
  }

  private judge(attempted: AttemptedEffect, active: Context, replaying: Replaying): ReenactError | undefined {
    const { player, position, allowed } = replaying;
    const effect = this.outermost === undefined ? attempted : { ...attempted, name: this.outermost };
    const isConnection = effect.type === 'host' || effect.type === 'pipe';
    // Exporters suppress tracing around their own requests; their files are as little covered as anybody's. Who asked for a tool to run live
    // asked for no alarm.
    if (isConnection && isSuppressedRequest(active)) {
      if (isOwnTelemetry(active) || allowed?.allows(effect) === true) return undefined;
      // Exporters tell of all that the process does in the same requests.
      return this.telemetry.refusalOf(effect, player, this.ownerOfProcess() === undefined);
    }
    if (position?.isLive === true) return undefined;
    if (allowed?.allows(effect) === true) {
      if (effect.type === 'program' && allowed.namesProgram(effect.program))
        player.noteUnguarded(
          `${effect.name} started ${effect.program} for real, as it was allowed to: what it did is no part of this replay.`,
        );
      return undefined;
    }
    const launch = isOutside(position) ? this.ownerOfProcess()?.launch : undefined;
    if (effect.type === 'program' && effect.joins === true) {
      if (startedThere(player, position) || (effect.words !== undefined && launch?.launches(effect.words) === true))
        return undefined;
    }
    const advice = effect.type === 'program' ? (launch?.adviceFor(process.argv.slice(1)) ?? '') : '';
    const refused = { ...refusalWording(effect, advice), isConnection };
    return report(replaying, refused, { where: effectTarget(effect) });
  }

  private replayAround(active: Context): Replaying | undefined {
    const position = positionOf(active);
    if (position !== undefined && isGuardedPlayer(position.player)) {
      const { player } = position;
      return { player, position, allowed: this.owners.get(player)?.allowed };
    }
    const owner = this.ownerOfProcess();
    return owner === undefined ? undefined : { player: owner.player, position, allowed: owner.allowed };
  }
}
