import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import type { Crossing } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logOf, patchGrpc } from '../testdata/grpc-suite.ts';
import { opening, shownOf } from '../testdata/recorded-secrets.ts';
import { type Door, type Key, startVault, type VaultClient, vaultClient } from '../testdata/vault-service.ts';

/** No rule knows one of these by its form. */
const secrets = [
  'open sesame',
  'mellon mellon mellon',
  'swordfish-of-joy',
  'shibboleth!',
  'abracadabra now',
  'hocus pocus fidibus',
  'klaatu barada nikto',
];
const [password = '', apiKey = '', header = '', inStruct = '', wrapped = '', inMap = '', repeated = ''] = secrets;

const key: Key = {
  user: 'ali baba',
  password,
  proof: { api_key: Buffer.from(apiKey), note: 'a plain note' },
  headers: { 'x-api-key': header, accept: 'application/json' },
  extra: { fields: { db: { structValue: { fields: { passphrase: { stringValue: inStruct } } } } } },
  client_secret: { value: wrapped },
  numbers: [1, 2, 3000],
  proofs: { first: { api_key: Buffer.from(inMap) } },
  access_token: [repeated],
  response_id: 'resp_0123456789abcdef0123456789abcdef',
};

let undo: () => void;
beforeAll(() => {
  undo = patchGrpc({ inbound: true });
});
afterAll(() => undo());

async function bothEnds<Result>(
  act: (client: VaultClient) => Promise<Result>,
  count: number,
): Promise<{ recorded: Result; replayed: Result; crossings: Crossing[]; player: TapePlayer; keys: Key[] }> {
  const vault = await startVault();
  const calls = new RecordedCalls();
  const detach = calls.attach();
  const withClient = async (): Promise<Result> => {
    const client = vaultClient(vault.address);
    return act(client).finally(() => client.close());
  };
  const recorded = await withClient();
  await calls.settled(count);
  detach();
  vault.stop();
  const crossings = calls.crossings();
  const player = new TapePlayer(crossings);
  const replayed = await player.during(withClient);
  return { recorded, replayed, crossings, player, keys: vault.keys };
}

describe('a secret that only the name of its field tells', () => {
  it('is replaced in all messages whose definition is known, however deep, and the call is served', async () => {
    const { recorded, replayed, crossings, player, keys } = await bothEnds((client) => opening(client, key), 2);
    expect(keys[0]).toMatchObject({ password, proof: { api_key: Buffer.from(apiKey) } });
    expect(recorded).toMatchObject({ session_token: 'emases nepo-1', name: 'door of ali baba' });
    const shown = shownOf(crossings);
    expect([...secrets, recorded.session_token].filter((secret) => shown.includes(secret))).toEqual([]);
    for (const plain of ['ali baba', 'a plain note', 'application/json', 'resp_0123456789abcdef']) {
      expect(shown).toContain(plain);
    }
    expect(replayed).toMatchObject({ session_token: expect.stringMatching(/^#[0-9a-f]{12}$/), name: recorded.name });
    expect([player.refusals, player.changed]).toEqual([[], []]);
  });

  it('is told from another one, so that a changed password is seen', async () => {
    let word = password;
    const { player } = await bothEnds((client) => {
      const opened = opening(client, { password: word });
      word = 'open wheat';
      return opened;
    }, 2);
    expect(player.changed).toEqual(['test.vault.Vault/Open']);
  });

  it('comes back as the same token where a replay hands on what it was served', async () => {
    const handingBack = async (client: VaultClient): Promise<Door> => {
      const { session_token } = await opening(client, { password });
      return opening(client, { user: 'again', access_token: [session_token] });
    };
    const { crossings, player } = await bothEnds(handingBack, 4);
    expect(shownOf(crossings)).not.toContain('emases nepo');
    expect([player.refusals, player.changed]).toEqual([[], []]);
  });

  it('is in none of a stream either, whose messages still match', async () => {
    const talking = (client: VaultClient): Promise<unknown> => {
      const talk = client.talk();
      talk.write({ password });
      // In a turn of its own: these messages are in the exchange.
      setImmediate(() => {
        talk.write({ password: wrapped });
        talk.end();
      });
      return logOf(talk);
    };
    const { recorded, replayed, crossings, player } = await bothEnds(talking, 2);
    const shown = shownOf(crossings);
    expect([password, wrapped].filter((secret) => shown.includes(secret))).toEqual([]);
    expect(JSON.stringify(recorded)).toContain('emases nepo-1');
    expect(JSON.stringify(replayed)).toMatch(/"session_token":"#[0-9a-f]{12}"/);
    expect([player.refusals, player.changed]).toEqual([[], []]);
  });
});
