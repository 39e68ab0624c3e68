import { pristine } from '@reenact/instrumentation';
import { TOLD_NUMBER_VARIABLE } from '../../process-variables.ts';

/** Says that a process is known by the number that it has: what started it runs live. */
const OWN = 0;

/**
 * The options of an asynchronous start, with the number in the environment by which the program knows the process. Beside it stands the number of the
 * process that tells it, because a shell or another program in between hands the variable on to processes that it is not meant for.
 */
export function withToldNumber(options: unknown, number: number | 'own' | undefined): unknown {
  if (number === undefined || typeof options !== 'object' || options === null) return options;
  const pairs: unknown = Reflect.get(options, 'envPairs');
  if (!Array.isArray(pairs)) return options;
  const isOther = (pair: unknown): boolean => !String(pair).startsWith(`${TOLD_NUMBER_VARIABLE}=`);
  const told = `${TOLD_NUMBER_VARIABLE}=${number === 'own' ? OWN : number}.${pristine.processId}`;
  return { ...options, envPairs: [...pairs.filter(isOther), told] };
}

/** The number by which the process that started this one knows it; undefined where it told none. `parentProcessId`: the real number of that process. */
export function toldNumber(
  environment: NodeJS.ProcessEnv,
  parentProcessId = pristine.parentProcessId,
): number | 'own' | undefined {
  const [, told, by] = /^(\d{1,10})\.(\d{1,10})$/.exec(environment[TOLD_NUMBER_VARIABLE] ?? '') ?? [];
  if (told === undefined || Number(by) !== parentProcessId) return undefined;
  return Number(told) === OWN ? 'own' : Number(told);
}
