import type { Context } from '@opentelemetry/api';
import { isTellingSignal } from '@reenact/trace-model';
import { admit, gate } from '../admission/current-gate.ts';
import { unixNanoNow } from '../host/monotonic-clock.ts';
import { pristine } from '../host/pristine.ts';
import { guarded } from '../host/report-failure.ts';
import { runInContext } from '../host/run-in-context.ts';
import type { PatchSet } from '../patching/patch-set.ts';
import { positionOf } from '../run/position.ts';
import { isFromPlatform } from './is-from-platform.ts';
import { listenersPlace } from './listeners-place.ts';
import { signalCall } from './signal-call.ts';
import { signalName } from './signal-name.ts';
import { watchEmit } from './watch-emit.ts';

/** Records a signal in all runs that go on, and gives where its listeners run; undefined leaves them where they are. */
function recordSignal(signal: string): Context | undefined {
  if (gate.dedicatedPlayer !== undefined) return undefined;
  const runs = gate.runsUnderWay().filter(({ context }) => positionOf(context) === undefined);
  // Of one and the same signal all runs say the same time: in a replay of them it comes once.
  const startUnixNano = unixNanoNow();
  for (const { context } of runs) {
    const admission = runInContext(context, () => admit(signalCall(signal, startUnixNano)));
    // Nobody waits for an answer, and a listener may end the process.
    if (admission.type === 'run') admission.crossing.settle({ type: 'returned', value: undefined });
  }
  return listenersPlace(runs);
}

/** Signals that the program has sent to itself and that have not come yet: it sends them in a replay, too. */
class OwnSignals {
  private readonly sent = new Set<string>();

  /** Told of a call of `process.kill`. */
  told(processId: unknown, signal: unknown): void {
    // To itself (a replay has it know itself by the recorded number), or to the group that it is in or leads. Another group is that of a child, as a rule.
    const target = Number(processId);
    if (target !== 0 && ![pristine.processId, process.pid].includes(Math.abs(target))) return;
    const name = signalName(signal);
    if (name !== undefined) this.sent.add(name);
  }

  /** A signal has come, or what was sent before can come no more. Gives whether the program had sent it. */
  forget(signal: string): boolean {
    return this.sent.delete(signal);
  }
}

/** Records each signal that reaches listeners of the program while a run goes on. Returns how to stop. */
export function recordSignals(patches: PatchSet): () => void {
  const own = new OwnSignals();
  let isHanding = false;
  patches.wrap(process, 'kill', ({ parameters, proceed }) => {
    const result = proceed();
    guarded('noting a signal', () => own.told(parameters[0], parameters[1]), undefined);
    return result;
  });
  const isRecorded = (signal: string): boolean => {
    if (isHanding || !isTellingSignal(signal) || !isFromPlatform()) return false;
    return !own.forget(signal) && process.listenerCount(signal) > 0;
  };
  return watchEmit({
    firstListener: (signal) => void own.forget(signal),
    signal: (signal, hand) => {
      if (!guarded('telling a signal', () => isRecorded(signal), false)) return hand();
      const place = guarded('recording a signal', () => recordSignal(signal), undefined);
      isHanding = true;
      try {
        return place === undefined ? hand() : runInContext(place, hand);
      } finally {
        isHanding = false;
      }
    },
  });
}
