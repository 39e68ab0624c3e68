import { expect, it } from 'vitest';
import { TenantTurns } from './tenant-turns.ts';

it('gives tenants their turn one after the other, however many of one wait, and each its own in order', async () => {
  const turns = new TenantTurns();
  const begun: string[] = [];
  const enter = async (tenant: string, number: number): Promise<void> => {
    await turns.enter(tenant);
    begun.push(`${tenant} ${number}`);
    turns.leave();
  };
  await turns.enter('greedy');
  const all = [1, 2, 3].map((number) => enter('greedy', number));
  all.push(enter('other', 1), enter('third', 1), enter('other', 2));
  turns.leave();
  await Promise.all(all);
  expect(begun).toEqual(['greedy 1', 'other 1', 'third 1', 'greedy 2', 'other 2', 'greedy 3']);
  await turns.enter('other');
  turns.leave();
});
