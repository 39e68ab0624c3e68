import { disguised, guarded, replaceProperty } from '@reenact/instrumentation';

type ReallyExit = (this: unknown, ...parameters: unknown[]) => unknown;

/**
 * Has `work` done, once, as this process goes: when it tells so (`exit`), and where code ends it by `process.reallyExit`, which tells nobody. Else it would count as ended by
 * something else. Given the exit code. Not done where a signal ends the process. Returns how to take back what is replaced of the platform; `exit` is heard all the same.
 */
export function asProcessGoes(work: (exitCode: number) => void): () => void {
  let isDone = false;
  const go = (exitCode: number): void => {
    if (isDone) return;
    isDone = true;
    work(exitCode);
  };
  process.once('exit', go);
  const { reallyExit } = process as unknown as { readonly reallyExit: ReallyExit };
  const going: ReallyExit = function (...parameters) {
    // Node.js takes what is no number for 0, and ends `process.exit` by this, too. What cannot be read as one ends the process all the same.
    guarded('ending the run of a process', () => go(Number(parameters[0]) | 0), undefined);
    return Reflect.apply(reallyExit, this, parameters);
  };
  const value = disguised(going, reallyExit);
  return replaceProperty(process, 'reallyExit', { value, configurable: true, writable: true, enumerable: true });
}
