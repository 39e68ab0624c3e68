import { inspect } from 'node:util';
import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type Generator, generatedClient, generatedKey, generatedService } from '../testdata/generated-vault.ts';
import { logOf, patchGrpc } from '../testdata/grpc-suite.ts';
import { opening, shownOf } from '../testdata/recorded-secrets.ts';
import { type Key, startVault, type VaultClient, vaultClient } from '../testdata/vault-service.ts';

/** No rule knows one of these by its form. */
const [password, apiKey, header, inStruct, wrapped, inMap, repeated, spoken] = [
  'open sesame',
  'mellon mellon mellon',
  'swordfish-of-joy',
  'shibboleth!',
  'abracadabra now',
  'hocus pocus fidibus',
  'klaatu barada nikto',
  'alohomora, éh',
] as const;
const secrets = [password, apiKey, header, inStruct, wrapped, inMap, repeated, spoken, 'emases nepo-1'];

const key: Key = {
  user: 'ali baba',
  password,
  proof: { api_key: Buffer.from(apiKey), note: 'a plain note' },
  headers: { 'x-api-key': header, accept: 'application/json' },
  extra: { fields: { db: { structValue: { fields: { passphrase: { stringValue: inStruct } } } } } },
  client_secret: { value: wrapped },
  proofs: { first: { api_key: Buffer.from(inMap) } },
  access_token: [repeated],
};

let undo: () => void = () => undefined;
afterEach(() => undo());

interface Ends<Result> {
  readonly recorded: Result;
  readonly replayed: Result;
  readonly shown: string;
  readonly player: TapePlayer;
  readonly keys: readonly Key[];
}

/** Records an act against a server of which this process is told nothing, and replays it without. */
async function bothEnds<Result>(
  made: (address: string) => VaultClient,
  act: (client: VaultClient) => Promise<Result>,
): Promise<Ends<Result>> {
  undo = patchGrpc();
  const vault = await startVault();
  const calls = new RecordedCalls();
  const detach = calls.attach();
  const withClient = async (): Promise<Result> => {
    const client = made(vault.address);
    return act(client).finally(() => client.close());
  };
  const recorded = await withClient();
  await calls.settled(1);
  detach();
  vault.stop();
  const player = new TapePlayer(calls.crossings());
  const replayed = await player.during(withClient);
  return { recorded, replayed, shown: shownOf(calls.crossings()), player, keys: vault.keys };
}

const generators: readonly Generator[] = ['plain objects', 'classes'];

describe.each(generators)('a secret that only the name of its field tells, in generated code: %s', (generator) => {
  const made = (address: string): VaultClient => generatedClient(address, generator);

  it('is replaced in requests and answers, however deep, and the call is served', async () => {
    const ends = await bothEnds(made, (client) => opening(client, generatedKey(key, generator)));
    expect(ends.keys[0]).toMatchObject({ password, proof: { api_key: Buffer.from(apiKey) } });
    expect(secrets.filter((secret) => ends.shown.includes(secret))).toEqual([]);
    for (const plain of ['ali baba', 'a plain note', 'application/json']) expect(ends.shown).toContain(plain);
    expect(inspect(ends.recorded)).toContain('emases nepo-1');
    expect(inspect(ends.replayed)).toMatch(/#[0-9a-f]{12}/);
    expect([ends.player.refusals, ends.player.changed]).toEqual([[], []]);
  });

  it('is told from another one, so that a changed password is seen', async () => {
    let word: string = password;
    const { player } = await bothEnds(made, (client) => {
      const opened = opening(client, generatedKey({ password: word }, generator));
      word = 'open wheat';
      return opened;
    });
    expect(player.changed).toEqual(['test.vault.Vault/Open']);
  });

  it('is in none of a stream either, whose messages still match', async () => {
    const { recorded, shown, player } = await bothEnds(made, (client) => {
      const talk = client.talk();
      talk.write(generatedKey({ password }, generator));
      // In a turn of its own: these messages are in the exchange.
      setImmediate(() => {
        talk.write(generatedKey({ password: spoken }, generator));
        talk.end();
      });
      return logOf(talk);
    });
    expect(inspect(recorded, { depth: 5 })).toContain('emases nepo-1');
    expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
    expect([player.refusals, player.changed]).toEqual([[], []]);
  });
});

describe('a server of generated code', () => {
  it('has none in what it was asked', async () => {
    undo = patchGrpc({ inbound: true, outbound: false });
    const vault = await startVault(generatedService('plain objects'));
    const calls = new RecordedCalls();
    const detach = calls.attach();
    const client = generatedClient(vault.address, 'plain objects');
    await opening(client, key);
    await calls.settled(1);
    detach();
    client.close();
    vault.stop();
    const shown = shownOf(calls.crossings());
    expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
    expect(shown).toContain('ali baba');
  });
});

describe('a client that is made of definition files', () => {
  it('learns the names from them where no server of the process has', async () => {
    const { shown, replayed, player } = await bothEnds(vaultClient, (client) => opening(client, key));
    expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
    expect(replayed).toMatchObject({ session_token: expect.stringMatching(/^#[0-9a-f]{12}$/) });
    expect([player.refusals, player.changed]).toEqual([[], []]);
  });
});
