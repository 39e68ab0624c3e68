import { fileURLToPath } from 'node:url';
import type { PatchSet } from '../patching/patch-set.ts';
import { connectingCode } from './connecting-code.ts';
import { recordConnection } from './record-connection.ts';

type WorkerClass = new (...parameters: unknown[]) => object;

/** The file of a thread, or that its code was given as text. */
function programOf(parameters: readonly unknown[]): string {
  const [program, options] = parameters;
  if ((options as { readonly eval?: unknown } | undefined)?.eval === true) return 'thread of code given as text';
  return `thread ${program instanceof URL && program.protocol === 'file:' ? fileURLToPath(program) : String(program)}`;
}

/** Notes which worker threads agents start: what comes back from one is in no recording, and the guard of a replay refuses to start it. */
export function watchThreads(patches: PatchSet): void {
  patches.replace<WorkerClass>(process.getBuiltinModule('node:worker_threads'), 'Worker', (original) => {
    const construct = (target: WorkerClass, parameters: unknown[], made: NewableFunction): object => {
      recordConnection(() => {
        const code = connectingCode(construct as () => unknown);
        return code.type === 'code' ? { place: programOf(parameters), package: code.package } : undefined;
      });
      return Reflect.construct(target, parameters, made) as object;
    };
    return new Proxy(original, { construct });
  });
  patches.publish();
}
