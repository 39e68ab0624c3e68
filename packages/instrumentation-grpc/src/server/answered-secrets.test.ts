import * as grpc from '@grpc/grpc-js';
import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ListedMessage } from '../testdata/generated-vault.ts';
import { logOf, patchGrpc } from '../testdata/grpc-suite.ts';
import { shownOf } from '../testdata/recorded-secrets.ts';

/** No rule knows one of these by its form. */
const secrets = ['open sesame', 'mellon mellon mellon', 'swordfish of joy', 'shibboleth!', 'hocus pocus fidibus'];
const [token = '', apiKey = '', header = '', inStruct = '', wrapped = ''] = secrets;

const answer = {
  name: 'a door',
  session_token: token,
  proof: { api_key: Buffer.from(apiKey), note: 'a plain note', digest: Buffer.from('plain bytes') },
  headers: new Map([['x-api-key', header]]),
  extra: { fields: { db: { structValue: { fields: { passphrase: { stringValue: inStruct } } } } } },
  client_secret: { value: wrapped },
  client_secrets: ['', null],
};

const bytes = Buffer.from([0xff, 1]);
const kinds: readonly (readonly [about: string, message: () => unknown])[] = [
  ['an object', () => answer],
  ['an object of a class', () => Object.assign(Object.create({ isDoor: true }), answer)],
  ["a class of google-protobuf's", () => new ListedMessage(bytes, () => ({ ...answer, headers: [...answer.headers] }))],
];

let undo: () => void;
beforeAll(() => {
  undo = patchGrpc({ inbound: true, outbound: false });
});
afterAll(() => undo());

function method(path: string, responseStream: boolean): grpc.MethodDefinition<object, object> {
  const [serialize, deserialize] = [(): Buffer => bytes, (): object => ({})];
  const both = { requestSerialize: serialize, responseSerialize: serialize };
  return {
    path,
    requestStream: false,
    responseStream,
    ...both,
    requestDeserialize: deserialize,
    responseDeserialize: deserialize,
  };
}

const service = { open: method('/test.Doors/Open', false), watch: method('/test.Doors/Watch', true) };

/** Asks a server that answers with this message: once, or with two of it. */
async function ask(name: 'open' | 'watch', message: unknown): Promise<void> {
  const server = new grpc.Server();
  server.addService(service, {
    open: (_call: unknown, callback: grpc.sendUnaryData<unknown>) => callback(null, message),
    watch: (call: grpc.ServerWritableStream<unknown, unknown>) => {
      call.write(message);
      call.write(message);
      call.end();
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  const { path, requestSerialize, responseDeserialize } = service[name];
  const given = [path, requestSerialize, responseDeserialize, {}] as const;
  await logOf(
    name === 'watch' ? client.makeServerStreamRequest(...given) : client.makeUnaryRequest(...given, () => undefined),
  );
  client.close();
  server.forceShutdown();
}

describe.each(kinds)('a handler that answers with %s', (_, message) => {
  it.each(['open', 'watch'] as const)(
    'keeps no secret that only a name tells, and is the same in a replay: %s',
    async (name) => {
      const calls = new RecordedCalls();
      const detach = calls.attach();
      const given = message();
      await ask(name, given);
      await calls.settled(1);
      detach();
      const crossings = calls.crossings();
      const shown = shownOf(crossings);
      expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
      for (const plain of ['a door', 'a plain note', 'plain bytes']) expect(shown).toContain(plain);
      const where = name === 'open' ? '/output/message' : '/output/messages/1';
      expect(calls.only.redacted).toContain(`${where}/proof/${given instanceof ListedMessage ? 'apiKey' : 'api_key'}`);
      expect(answer.proof.api_key.toString()).toBe(apiKey);
      const player = new TapePlayer(crossings);
      await player.during(() => ask(name, message()));
      expect(player.outcomes).toEqual([calls.only.outcome]);
    },
  );
});

it('says of an answer that is too large to be searched that it is not kept, in one message and in a stream', async () => {
  const large = { texts: Array.from({ length: 200_001 }, () => 'a') };
  for (const [name, where] of [
    ['open', 'message'],
    ['watch', 'messages/1'],
  ] as const) {
    const calls = new RecordedCalls();
    const detach = calls.attach();
    await ask(name, large);
    await calls.settled(1);
    detach();
    expect(calls.only.lossy).toContain(`/output/${where} redaction-failed`);
  }
});
