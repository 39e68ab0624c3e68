import { pristine } from '@reenact/instrumentation';
import { TOLD_NUMBER_VARIABLE } from '../../process-variables.ts';

/** Says that a process is known by the number that it has: what started it runs live. */
const OWN = 0;

/**
 * What an asynchronous start is given, with the number in the environment by which the process is known. Who tells it stands beside it: a shell or another program
 * in between hands it on to a process that it is not meant for.
 */
export function withToldNumber(options: unknown, number: number | 'own' | undefined): unknown {
  if (number === undefined || typeof options !== 'object' || options === null) return options;
  const pairs: unknown = Reflect.get(options, 'envPairs');
  if (!Array.isArray(pairs)) return options;
  const isOther = (pair: unknown): boolean => !String(pair).startsWith(`${TOLD_NUMBER_VARIABLE}=`);
  const told = `${TOLD_NUMBER_VARIABLE}=${number === 'own' ? OWN : number}.${pristine.processId}`;
  return { ...options, envPairs: [...pairs.filter(isOther), told] };
}

/** By which number who started this process, whose own number is `parentProcessId`, knows it; undefined where that told none. */
export function toldNumber(
  environment: NodeJS.ProcessEnv,
  parentProcessId = pristine.parentProcessId,
): number | 'own' | undefined {
  const [, told, by] = /^(\d{1,10})\.(\d{1,10})$/.exec(environment[TOLD_NUMBER_VARIABLE] ?? '') ?? [];
  if (told === undefined || Number(by) !== parentProcessId) return undefined;
  return Number(told) === OWN ? 'own' : Number(told);
}
