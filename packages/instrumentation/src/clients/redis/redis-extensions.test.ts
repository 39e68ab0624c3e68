import { createClient, defineScript, RESP_TYPES } from 'redis';
import { describe, expect, it } from 'vitest';
import { installDedicatedPlayer, redisClient } from '../../index.ts';
import { TapePlayer } from '../../testing/tape-player.ts';
import { keptMappings } from './redis-extensions.ts';

const addUp = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: "return redis.call('INCRBY', KEYS[1], ARGV[1])",
  parseCommand: (parser, key: string, by: number) => {
    parser.pushKey(key);
    parser.push(String(by));
  },
  transformReply: (reply: unknown) => reply as number,
});

/** What a replay says that knows nothing: a call that does not come to the gate fails otherwise, with a client that is closed. */
async function refusalOf(call: () => Promise<unknown>): Promise<unknown> {
  const uninstall = installDedicatedPlayer(new TapePlayer([]));
  try {
    return await call();
  } catch (error) {
    return Reflect.get(error as Error, 'code');
  } finally {
    uninstall();
  }
}

describe('what a client of redis has beside the commands of the server', () => {
  const client = redisClient(createClient({ scripts: { addUp } }));
  const typed = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });

  it.each([
    ['a script', () => client.addUp('a', 1)],
    ['a module', () => client.json.get('a')],
    ['a type mapping', () => typed.get('a')],
    ['options of single commands', () => client.withCommandOptions({ asap: true }).get('a')],
    ['a script behind a type mapping', () => typed.addUp('a', 1)],
  ])('comes to the gate: %s', async (_, call) => {
    expect(await refusalOf(call)).toBe('replay-refused');
  });

  it('is recorded of a type mapping by the names of its classes', () => {
    expect(keptMappings(['a', { [RESP_TYPES.BLOB_STRING]: Buffer }])).toEqual([
      'a',
      { [RESP_TYPES.BLOB_STRING]: 'Buffer' },
    ]);
    expect(keptMappings([{ asap: true, typeMapping: { [RESP_TYPES.MAP]: Array } }])).toEqual([
      { asap: true, typeMapping: { [RESP_TYPES.MAP]: 'Array' } },
    ]);
    expect(keptMappings([{ EX: 10 }, { a: '1' }])).toEqual([{ EX: 10 }, { a: '1' }]);
  });
});
