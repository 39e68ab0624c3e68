import { ReenactError } from '@reenact/trace-model';
import { TELEMETRY_HELD_COUNTED_MAX, TELEMETRY_TARGETS_TOLD_MAX } from '../limits.ts';
import { type AttemptedEffect, allowanceOf, effectTarget } from './attempted-effect.ts';
import type { GuardedPlayer } from './guarded-player.ts';

interface Told {
  readonly targets: Set<string>;
  heldCount: number;
}

/** Holds back what the program of a replay tells those who watch it: of a replay nobody must be alarmed. */
export class TelemetryHold {
  private readonly told = new WeakMap<object, Told>();

  /**
   * The error to fail a request of an exporter with, reported before it is given; undefined where it may go out, which is noted, because
   * the process `isShared` with others than this replay.
   */
  refusalOf(effect: AttemptedEffect, player: GuardedPlayer, isShared: boolean): ReenactError | undefined {
    const target = effectTarget(effect);
    const told = this.told.get(player) ?? { targets: new Set(), heldCount: 0 };
    this.told.set(player, told);
    if (isShared) {
      if (told.targets.has(target) || told.targets.size >= TELEMETRY_TARGETS_TOLD_MAX) return undefined;
      told.targets.add(target);
      player.noteUnguarded(
        `Telemetry to ${target} went out (${effect.name}): its process serves others than this replay, and may tell of them in the same requests. To keep it in, start that process with its exporters off (OTEL_SDK_DISABLED=true, an empty DSN), or replay by the command that starts it.`,
      );
      return undefined;
    }
    const allow = allowanceOf(effect) ?? '';
    told.heldCount += 1;
    if (told.heldCount <= TELEMETRY_HELD_COUNTED_MAX) player.reportTelemetry({ target, allow });
    return new ReenactError(
      'replay-refused',
      `${effect.name} ${target} was held back: what is sent there is telemetry, and a replay tells nobody of itself.`,
      { where: target, next: `To let it out: ${allow}.` },
    );
  }
}
