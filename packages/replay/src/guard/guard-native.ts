import { basename } from 'node:path';
import {
  duringLoad,
  isWatchedAddOn,
  listenToAddOns,
  type NativeCall,
  nativeLibraryOf,
  type PatchSet,
  sqlEffectOf,
  watchLoadedAddOn,
} from '@reenact/instrumentation';
import type { ReenactError } from '@reenact/trace-model';
import type { AddOnConnections } from './add-on-connections.ts';
import { AddOnFiles } from './add-on-files.ts';
import type { EffectJudge } from './effect-judge.ts';
import { nativeEffect } from './native-effect.ts';
import { statementEffects } from './statement-effects.ts';

/** What was opened before the replay began, and would not have been during it, is refused when it is used, other than by a statement that only reads. */
function refusalOf(judge: EffectJudge, { library, opening, effects, statement }: NativeCall): ReenactError | undefined {
  const name = opening?.name ?? `${library.name} statement`;
  if (opening !== undefined && effects === undefined) {
    // What it is asked to open cannot be read.
    return judge.refusalOf(() => ({ type: 'file', name, paths: [undefined], target: library.name }));
  }
  if (opening === undefined) {
    // First: of what begins as a reading, a part may be written elsewhere.
    const refusal = judge.refusalOf(() => statementEffects(name, statement));
    if (refusal !== undefined || (statement !== undefined && sqlEffectOf(statement) === 'read')) return refusal;
  }
  for (const effect of effects ?? []) {
    const refusal = judge.refusalOf(() => nativeEffect(name, effect));
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/**
 * What known add-ons open is judged: databases, connections, programs. Of others that are required the report has a note, for half of npm
 * needs one to start: what they connect to and which files they keep open is looked for, and what else they do is out of the guard's sight. Loading a library in any other way is refused. Gives how to stop.
 */
export function guardNative(patches: PatchSet, judge: EffectJudge, connections: AddOnConnections): () => void {
  const files = new AddOnFiles(judge);
  patches.wrap(process, 'dlopen', ({ parameters, proceed }) =>
    duringLoad((byLoader) => {
      const [module, file] = parameters;
      const path = String(file);
      if (!byLoader) {
        const refusal = judge.refusalOf(() => ({ type: 'program', name: 'process.dlopen', target: path }));
        if (refusal !== undefined) throw refusal;
        return proceed();
      }
      const name = basename(path);
      const [noteConnections, noteFiles] = [connections.beforeLoad(), files.beforeLoad()];
      const result = proceed();
      const isKnown = watchLoadedAddOn(module as { exports: unknown });
      const [seesConnections, seesFiles] = [noteConnections(name), noteFiles(name)];
      if (isKnown) return result;
      const seen = [
        ...(seesConnections ? ['the connections it opens'] : []),
        ...(seesFiles ? ['the files it keeps open for writing'] : []),
      ].join(' and ');
      const told = seen === '' ? 'the guard does not see' : `${seen} are seen, and nothing else`;
      judge.note(`The native add-on ${name} was loaded: of what it does, ${told} (${path}).`);
      return result;
    }),
  );
  const stopListening = listenToAddOns((call) => {
    const refusal = refusalOf(judge, call);
    if (refusal === undefined && call.effects?.some(({ type }) => type === 'address' || type === 'model') === true)
      connections.giveUp();
    return refusal;
  });
  return () => {
    stopListening();
    connections.stop();
    files.stop();
  };
}

/** What is said of add-ons that were loaded before anybody watched them, and that open what a replay must not change. */
export function loadedBefore(): string[] {
  const { _cache: loaded = {} } = process.getBuiltinModule('node:module') as { _cache?: Record<string, unknown> };
  const notes: string[] = [];
  for (const [path, module] of Object.entries(loaded)) {
    if (!path.endsWith('.node') || typeof module !== 'object' || module === null) continue;
    const { exports } = module as { readonly exports?: unknown };
    const library = nativeLibraryOf(exports);
    if (library === undefined || isWatchedAddOn(library, exports as object)) continue;
    notes.push(`${library.name} was loaded before the replay began: the guard does not see what it opens (${path}).`);
  }
  return notes;
}
