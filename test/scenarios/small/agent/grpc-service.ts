// An agent behind gRPC, one method of each kind: no agent wrapper, the call is the run. It ends when it is asked to.
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
} from '@grpc/grpc-js';
import OpenAI from 'openai';
import { tool } from 'reenact';

interface Words {
  readonly words: string;
}

const openai = new OpenAI();
const serialize = (value: Words): Buffer => Buffer.from(JSON.stringify(value));
const deserialize = (bytes: Buffer): Words => JSON.parse(bytes.toString()) as Words;

function method(name: string, requestStream: boolean, responseStream: boolean): ServiceDefinition[string] {
  return {
    path: `/e2e.${process.env.SERVICE ?? 'Desk'}/${name}`,
    requestStream,
    responseStream,
    requestSerialize: serialize,
    requestDeserialize: deserialize,
    responseSerialize: serialize,
    responseDeserialize: deserialize,
  };
}

const dice = tool('dice', async (): Promise<number> => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0);

async function advise(words: string): Promise<Words> {
  const rolled = await dice();
  const { choices } = await openai.chat.completions.create({
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content: `${words} ${rolled}` }],
  });
  return { words: `${process.env.GREETING ?? 'Hello.'} ${words}: ${choices[0]?.message.content} ${rolled}` };
}

const server = new Server();
const desk = {
  Ask: method('Ask', false, false),
  List: method('List', false, true),
  Sum: method('Sum', true, false),
  Chat: method('Chat', true, true),
};

server.addService(desk, {
  Ask: ({ request, metadata }: ServerUnaryCall<Words, Words>, answer: sendUnaryData<Words>) => {
    const said = `${request.words} ${metadata.get('x-tag').join('+')} ${metadata.get('x-proof-bin').map(hex).join()}`;
    advise(said).then((words) => answer(null, words), answer);
  },
  List: (call: ServerWritableStream<Words, Words>) => {
    advise(call.request.words).then((words) => {
      call.write({ words: 'first' });
      call.write(words);
      call.end();
    });
  },
  Sum: (call: ServerReadableStream<Words, Words>, answer: sendUnaryData<Words>) => {
    const said: string[] = [];
    call.on('data', ({ words }: Words) => said.push(words));
    call.on('end', () => advise(said.join(' and ')).then((words) => answer(null, words), answer));
  },
  Chat: (call: ServerDuplexStream<Words, Words>) => {
    call.on('data', ({ words }: Words) => call.write({ words: `${words}!` }));
    call.on('end', () =>
      advise('bye').then((words) => {
        call.write(words);
        call.end();
      }),
    );
  },
});

function hex(value: string | Buffer): string {
  return Buffer.from(value).toString('hex');
}

server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  console.log(JSON.stringify({ port }));
});
process.once('SIGTERM', () => server.tryShutdown(() => undefined));
