import { Readable } from 'node:stream';
import type { FidelityAct, FidelityCase } from '../fidelity-library.ts';

/** One of the two drivers, as far as it reads many keys or members one reply at a time. */
export interface RedisScans<Client> {
  withClient(act: (client: Client) => Promise<unknown>): FidelityAct['run'];
  around(...crossings: readonly string[]): string[];
  /** Names of the crossings of `fill`, `keys`, `members` and `wrong`. */
  readonly crossings: Readonly<Record<'fill' | 'keys' | 'members' | 'wrong', string>>;
  /** Puts so many members in the set `members` that they come in several replies. */
  fill(client: Client): Promise<unknown>;
  /** All keys, of which there is one. */
  keys(client: Client): AsyncIterable<readonly string[]>;
  members(client: Client): AsyncIterable<readonly string[]>;
  /** The members of a hash as if it were a set. */
  wrong(client: Client): AsyncIterable<unknown>;
}

/** As many members as make a set that Redis gives in several replies. */
export const MEMBERS: readonly string[] = Array.from({ length: 600 }, (_, index) => `member ${index}`);

async function all(replies: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const reply of replies) seen.push(reply);
  return seen;
}

async function abort<Client>({ fill, members }: RedisScans<Client>, client: Client): Promise<unknown> {
  await fill(client);
  for await (const reply of members(client)) {
    if (reply.length > 0) return { isFirst: reply.length < MEMBERS.length, reply };
  }
  return 'empty';
}

async function wrongAfterAll<Client>({ fill, wrong }: RedisScans<Client>, client: Client): Promise<unknown> {
  await fill(client);
  return all(wrong(client)).catch(({ name, message }: Error) => ({ name, message }));
}

async function twice<Client>({ fill, keys }: RedisScans<Client>, client: Client): Promise<unknown> {
  await fill(client);
  const replies = keys(client);
  return { first: await all(replies), again: await all(replies).catch(({ message }: Error) => message) };
}

/** Both halves of one answer. */
async function split<Client>({ fill, keys }: RedisScans<Client>, client: Client): Promise<unknown> {
  await fill(client);
  const replies = keys(client);
  const web = replies instanceof Readable ? Readable.toWeb(replies) : ReadableStream.from(replies);
  return Promise.all(web.tee().map((half) => all(half)));
}

/** What reads many keys or members one reply at a time. */
export function redisScanCases<Client>(driver: RedisScans<Client>) {
  const { withClient, around, crossings, fill, keys, members } = driver;
  const line = (name: keyof typeof crossings, outcome: string): string =>
    `database:redis.${crossings[name]} ${outcome} 0`;
  const filled = line('fill', 'returned');
  return {
    stream: {
      run: withClient(async (client) => {
        await fill(client);
        const replies = await all(members(client));
        return { replies, all: [...new Set(replies.flat())].sort(), keys: await all(keys(client)) };
      }),
      shows: { all: [...MEMBERS].sort(), keys: [['members']] },
      crossings: around(filled, line('members', 'ended'), line('keys', 'ended')),
    },
    abort: {
      run: withClient((client) => abort(driver, client)),
      shows: { isFirst: true },
      crossings: around(filled, line('members', 'aborted')),
    },
    'mid-stream error': {
      run: withClient((client) => wrongAfterAll(driver, client)),
      shows: { message: /^WRONGTYPE/ },
      crossings: around(filled, line('wrong', 'failed')),
    },
    'double iteration': {
      run: withClient((client) => twice(driver, client)),
      shows: { first: [['members']] },
      crossings: around(filled, line('keys', 'ended')),
    },
    tee: {
      run: withClient((client) => split(driver, client)),
      shows: [[['members']], [['members']]],
      crossings: around(filled, line('keys', 'ended')),
    },
  } as const satisfies { readonly [Case in FidelityCase]?: FidelityAct };
}
