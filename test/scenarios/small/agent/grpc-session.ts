// An agent behind gRPC that is told when its caller leaves, and that takes one question of a session at a time.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { tool } from 'reenact';

interface Words {
  readonly words: string;
}

const serialize = (value: Words): Buffer => Buffer.from(JSON.stringify(value));
const deserialize = (bytes: Buffer): Words => JSON.parse(bytes.toString()) as Words;

function method(name: string, isStream: boolean): ServiceDefinition[string] {
  return {
    path: `/e2e.Session/${name}`,
    requestStream: isStream,
    responseStream: isStream,
    requestSerialize: serialize,
    requestDeserialize: deserialize,
    responseSerialize: serialize,
    responseDeserialize: deserialize,
  };
}

const think = tool('think', async (words: string, forMs: number): Promise<string> => {
  await sleep(forMs);
  return `${words} (${Math.random()})`;
});
const save = tool('save', async (what: string): Promise<string> => `saved ${what}`);

function ask(call: ServerUnaryCall<Words, Words>, answer: sendUnaryData<Words>): void {
  const leftMs = Number(call.getDeadline()) - Date.now();
  call.on('cancelled', () => void save(`left, ${leftMs} ms at first`));
  const thinking = async (): Promise<Words> => {
    // Until it is called off: a limit of its own might come first on a machine that gives the client no time.
    for (let step = 1; !call.cancelled; step += 1) await think(`step ${step}`, 25);
    return { words: 'done' };
  };
  thinking().then((words) => answer(null, words), answer);
}

function talk(call: ServerDuplexStream<Words, Words>): void {
  let isBusy = false;
  let count = 0;
  let refused = (): void => undefined;
  const firstRefusal = new Promise<void>((resolve) => {
    refused = resolve;
  });
  call.on('data', async ({ words }: Words) => {
    count += 1;
    if (isBusy) {
      call.write({ words: `busy, not: ${words}` });
      return refused();
    }
    isBusy = true;
    const thought = await think(words, 30);
    // How many had come by then is as it happens; that one finds it busy is not.
    const cameMeanwhile = count;
    await firstRefusal;
    isBusy = false;
    call.write({ words: `${thought} ${cameMeanwhile}` });
  });
  call.on('cancelled', () => void save(`left after ${count}`));
  call.on('end', () => {
    void save(`ended after ${count}`).then(() => call.end());
  });
}

const server = new Server();
server.addService({ Ask: method('Ask', false), Talk: method('Talk', true) }, { Ask: ask, Talk: talk });
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  console.log(JSON.stringify({ port }));
});
process.once('SIGTERM', () => server.tryShutdown(() => undefined));
