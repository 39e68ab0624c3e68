import { type PatchSet, pristine } from '@reenact/instrumentation';

/** Timers, which take a millisecond at least, and the standard streams. */
const quietPattern = /^(Timeout|TTYWrap|PipeWrap|SignalWrap)$/;

let hidesWork = false;

function hideWork(): void {
  hidesWork = true;
}

/**
 * Whether nothing of this process can run before the event loop has turned, but what is queued for this turn and
 * `ownImmediates`. What might be the agent's makes it false.
 */
export function isQuiet(
  ownImmediates: number,
  activeNames: () => readonly string[] = () => process.getActiveResourcesInfo(),
): boolean {
  if (hidesWork) return false;
  let immediates = 0;
  for (const name of activeNames()) {
    if (name === 'Immediate') immediates += 1;
    else if (!quietPattern.test(name)) return false;
  }
  return immediates <= ownImmediates;
}

/** Whether somebody has set an immediate beside `ownImmediates`: what it stands for goes on in the next turn. */
export function hasImmediates(ownImmediates: number): boolean {
  return process.getActiveResourcesInfo().filter((name) => name === 'Immediate').length > ownImmediates;
}

/**
 * Tells of immediates and message ports that are not to keep the process: the platform does not list those. By default a process
 * in which there ever was one counts as never quiet.
 */
export function patchHiddenWork(patches: PatchSet, hidden: () => void = hideWork): void {
  const immediate = pristine.setImmediate(() => undefined);
  pristine.clearImmediate(immediate);
  for (const owner of [Object.getPrototypeOf(immediate) as object, MessagePort.prototype, BroadcastChannel.prototype]) {
    patches.wrap(owner, 'unref', ({ proceed }) => {
      hidden();
      return proceed();
    });
  }
}
