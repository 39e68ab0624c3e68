import { ChildProcess } from 'node:child_process';
import { gate } from '../admission/current-gate.ts';
import { OwnProcesses } from '../host/own-processes.ts';
import type { PatchSet } from '../patching/patch-set.ts';
import { signalName } from '../signals/signal-name.ts';
import { recordReading } from './record-draw.ts';

/** In a fork the replay keeps the number that it says. */
function keepNumber(number: number | null): void {
  if (gate.dedicatedPlayer === undefined) recordReading('child_process.pid', number);
}

/** A signal that was sent says nothing to who sent it: it tells a replay of the process that it comes from there. */
function keepSignal(number: number | undefined, signal: unknown): void {
  const name = signalName(signal);
  if (number !== undefined && name !== undefined) recordReading('child_process.kill', [number, name]);
}

function watchNumbers(patches: PatchSet): void {
  patches.wrap(ChildProcess.prototype, 'spawn', ({ self, proceed }) => {
    const result = proceed();
    keepNumber((self as ChildProcess).pid ?? null);
    return result;
  });
  patches.wrap(process.getBuiltinModule('node:child_process'), 'spawnSync', ({ proceed }) => {
    const result = proceed() as { readonly pid?: number };
    keepNumber(result.pid ?? null);
    return result;
  });
}

/**
 * Keeps, for the run around each start of a program, the number by which that knows the process: it stands in names, locks and lines of a log, and the
 * process itself may say it. What `execSync` and `execFileSync` start nobody knows by a number. Keeps, too, which signals a run sends to what it has started. Returns
 * how to stop listening for programs.
 */
export function watchChildren(patches: PatchSet): () => void {
  const children = new OwnProcesses();
  watchNumbers(patches);
  patches.wrap(ChildProcess.prototype, 'kill', ({ self, parameters, proceed }) => {
    const { pid } = self as ChildProcess;
    const [signal] = parameters;
    const isSent = proceed();
    // Unlike `process.kill`, it takes a name in small letters.
    if (isSent === true) keepSignal(pid, typeof signal === 'string' ? signal.toUpperCase() : signal);
    return isSent;
  });
  patches.wrap(process, 'kill', ({ parameters, proceed }) => {
    const [target, signal] = parameters;
    // A group is named by the negative number of its leader.
    const number = Math.abs(Number(target));
    const isChild = children.numberOf(number) !== undefined;
    const result = proceed();
    if (isChild) keepSignal(number, signal);
    return result;
  });
  return children.watch();
}
