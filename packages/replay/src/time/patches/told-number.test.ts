import { expect, it } from 'vitest';
import { TOLD_NUMBER_VARIABLE } from '../../process-variables.ts';
import { toldNumber, withToldNumber } from './told-number.ts';

function readBy(parentProcessId: number, told: unknown): number | 'own' | undefined {
  const { envPairs } = told as { readonly envPairs: readonly string[] };
  return toldNumber(Object.fromEntries(envPairs.map((pair) => pair.split('='))), parentProcessId);
}

it('is read by the process that was started, and by none that it starts in turn', () => {
  const handedOn = [`${TOLD_NUMBER_VARIABLE}=7.1`, 'KEPT=yes'];
  const told = withToldNumber({ file: 'node', envPairs: handedOn }, 42);
  expect(told).toEqual({ file: 'node', envPairs: ['KEPT=yes', `${TOLD_NUMBER_VARIABLE}=42.${process.pid}`] });
  expect([readBy(process.pid, told), readBy(process.pid + 1, told)]).toEqual([42, undefined]);
  expect(readBy(process.pid, withToldNumber({ envPairs: [] }, 'own'))).toBe('own');
});

it('says nothing where nothing is known, or where nobody told it', () => {
  const options = { envPairs: ['KEPT=yes'] };
  expect(withToldNumber(options, undefined)).toBe(options);
  expect(withToldNumber(undefined, 42)).toBeUndefined();
  expect([toldNumber({}), toldNumber({ [TOLD_NUMBER_VARIABLE]: `x.${process.ppid}` })]).toEqual([undefined, undefined]);
});
