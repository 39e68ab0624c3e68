import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ReenactError } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Admission, OpenCrossing } from '../gate/gate.ts';
import { type Player, type Position, positionOf, withPosition } from '../index.ts';
import { confirmed } from './confirm-joined.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => context.disable());

const player: Player = {
  replayId: 'replay-1',
  dedicated: true,
  answer: () => ({ type: 'refuse', error: new ReenactError('replay-refused', 'never asked') }),
  callShapeOf: ({ call }) => call,
  positionToken: ({ cursor }: Position) => `token of ${cursor ?? 'nobody'}`,
  isJoinProof: (token, proof) => proof === `proof of ${token}`,
};
const instead: Admission = { type: 'refuse', error: new ReenactError('replay-refused', 'instead') };

/** A call that may only go to a service that takes part, and the addresses that turned out not to be one. */
function hop(by: Player = player): { readonly admission: Admission; readonly unjoined: string[] } {
  const unjoined: string[] = [];
  const crossing = { context: withPosition(ROOT_CONTEXT, { player: by, cursor: 'c7' }) } as OpenCrossing;
  const served = (address: string): Exclude<Admission, { type: 'run' }> => {
    unjoined.push(address);
    return instead as Exclude<Admission, { type: 'run' }>;
  };
  return { admission: { type: 'run', crossing, unjoined: served }, unjoined };
}

const here = new URL('http://127.0.0.1:5001/');

describe('a call that may only go to a service that takes part', () => {
  it('goes there when that has proven it, and was asked inside the crossing', async () => {
    const { admission, unjoined } = hop();
    const asked: unknown[] = [];
    const answered = await confirmed(admission, here, async (token) => {
      asked.push(token, positionOf(context.active())?.cursor);
      return `proof of ${token}`;
    });
    expect(answered).toBe(admission);
    expect([asked, unjoined]).toEqual([['token of c7', 'c7'], []]);
  });

  it.each<[string, () => Promise<string | undefined>]>([
    ['says nothing', async () => undefined],
    ['proves another token', async () => 'proof of token of c8'],
    ['cannot be asked', () => Promise.reject(new TypeError('ours'))],
    [
      'throws at once',
      () => {
        throw new TypeError('ours');
      },
    ],
  ])('is answered without it where that %s', async (_name, ask) => {
    const { admission, unjoined } = hop();
    expect(await confirmed(admission, here, ask)).toBe(instead);
    expect(unjoined).toEqual(['127.0.0.1:5001']);
  });

  it.each<[string, URL | undefined, Player]>([
    ['positions do not travel', new URL('http://elsewhere.example:80/'), player],
    ['nobody knows where it leads', undefined, player],
    ['nobody signs positions', here, { ...player, positionToken: () => undefined }],
    ['nobody verifies proofs', here, { ...player, isJoinProof: () => false }],
  ])('is answered without it, and not asked with a token that means anything, where %s', async (_name, url, by) => {
    const { admission, unjoined } = hop(by);
    const asked: string[] = [];
    const ask = async (token: string): Promise<string> => {
      asked.push(token);
      return `proof of ${token}`;
    };
    expect(await confirmed(admission, url, ask)).toBe(instead);
    expect(unjoined.length).toBe(1);
    expect(asked.length).toBe(url === here && by.positionToken?.({ player, cursor: 'c' }) !== undefined ? 1 : 0);
  });
});

describe('any other admission', () => {
  it('is given back at once, and nobody is asked', () => {
    const ask = (): Promise<string> => Promise.reject(new TypeError('asked'));
    const running: Admission = { type: 'run', crossing: { context: ROOT_CONTEXT } as OpenCrossing };
    for (const admission of [running, instead, { type: 'pass' } as const]) {
      expect(confirmed(admission, here, ask)).toBe(admission);
    }
  });
});
