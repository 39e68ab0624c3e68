import { expect, it, vi } from 'vitest';
import { Maintenance } from './maintenance.ts';
import type { StoreReader } from './store-reader.ts';
import type { TextKeeper } from './text-keeper.ts';
import type { WriterLink } from './worker/calls.ts';

it('tells why settling failed, also where tidying up after it fails as well', async () => {
  const told: (string | undefined)[] = [];
  const call = vi.fn(async (name: string) => {
    throw new Error(name === 'plan' ? 'the cause' : 'its consequence');
  });
  const maintenance = new Maintenance(
    { dataDirectory: '/data' },
    {
      writer: { call } as unknown as WriterLink,
      reader: {} as StoreReader,
      texts: { tidy: async () => undefined } as unknown as TextKeeper,
      onBackground: (error) => told.push(error),
    },
  );
  maintenance.wake();
  await vi.waitFor(() => expect(told).toHaveLength(1));
  expect(told[0]).toContain('the cause');
  expect(call.mock.calls.map(([name]) => name)).toEqual(['plan', 'tidy']);
  await maintenance.stop();
});
