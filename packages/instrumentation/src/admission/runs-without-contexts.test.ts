import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { agent, tool } from '../index.ts';
import { recordedFacts } from '../testing/recorded-facts.ts';
import { trapLog } from '../traps/trap-log.ts';

const API = Symbol.for('opentelemetry.js.api.1');
const mark = '/contexts/gone what this run called or drew may stand beside it';

const recorded = recordedFacts();
let registry: unknown;

beforeAll(() => {
  registry = Reflect.get(globalThis, API);
});

afterEach(() => {
  Reflect.set(globalThis, API, registry);
  context.disable();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

/** The marks of the run `name`, in which a tool is called once `during` has been done. */
async function marksOf(name: string, during: () => void): Promise<readonly string[] | undefined> {
  const quote = tool('quote', async (symbol: string) => symbol.length);
  const run = agent(name, async () => {
    during();
    return quote('ACME');
  });
  expect(await run()).toBe(4);
  return recorded.find(({ boundary }) => boundary.name === name)?.lossy;
}

describe('a run whose contexts were taken away', () => {
  it('says so, be that before it began or while it went on, and a trap once how', async () => {
    const found: string[] = [];
    const stop = trapLog.listen(({ kind, detail }) => void (kind === 'no-contexts' && found.push(detail)));
    expect(await marksOf('whole', () => undefined)).toEqual([]);
    expect(await marksOf('emptied inside', () => void Reflect.set(globalThis, API, undefined))).toEqual([mark]);
    expect(await marksOf('emptied before', () => undefined)).toEqual([mark]);
    Reflect.set(globalThis, API, { ...(registry as object), version: '1.0.0' });
    expect(await marksOf('of another version', () => undefined)).toEqual([mark]);
    Reflect.set(globalThis, API, registry);
    expect(await marksOf('whole again', () => undefined)).toEqual([]);
    expect(found).toEqual(['nobody provides them', 'version 1.0.0 of @opentelemetry/api provides them']);
    stop();
  });

  it('says so where it calls nothing, as what it draws is in no recording either', async () => {
    await agent('drawing', async () => void context.disable())();
    expect(recorded.map(({ lossy }) => lossy)).toEqual([[mark]]);
  });
});
