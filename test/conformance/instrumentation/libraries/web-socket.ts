import { once } from 'node:events';
import { tool } from '@reenact/instrumentation';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import type { FidelityAct, FidelityLibrary } from '../fidelity-library.ts';
import { startWebSocketPeer } from '../peers/web-socket-peer.ts';

function open(address: string, path: string, protocols: string[] = []): WebSocket {
  const socket = new WebSocket(`${address.replace('http:', 'ws:')}${path}`, protocols);
  socket.binaryType = 'arraybuffer';
  return socket;
}

function dataOf({ data, origin, lastEventId }: MessageEvent): unknown {
  const value = data instanceof ArrayBuffer ? [...new Uint8Array(data)] : data;
  return { class: Object.prototype.toString.call(data), value, origin: origin.replace(/\d+$/, '*'), lastEventId };
}

/** Everything that a socket tells until it is closed, or fails before it is open. */
async function eventsOf(socket: WebSocket, seen: (event: MessageEvent) => void = () => undefined): Promise<unknown[]> {
  const events: unknown[] = [];
  socket.addEventListener('open', ({ constructor: { name } }) => {
    events.push([name, socket.readyState, socket.protocol]);
  });
  socket.addEventListener('message', (event) => {
    events.push(dataOf(event));
    seen(event);
  });
  return new Promise((resolve) => {
    socket.addEventListener('error', (event) => {
      events.push([event.constructor.name, Reflect.get(event, 'message')]);
      // Not every version tells of the close of what was never open.
      if (events.length === 1) resolve(events);
    });
    socket.addEventListener('close', ({ code, reason, wasClean }) => {
      resolve([...events, { code, reason, wasClean, readyState: socket.readyState }]);
    });
  });
}

async function ask(address: string, path: string, text: string): Promise<string> {
  const socket = open(address, path);
  await once(socket, 'open');
  socket.send(text);
  const [{ data }] = (await once(socket, 'message')) as [MessageEvent];
  socket.close();
  await once(socket, 'close');
  return String(data);
}

const opened = 'http:GET 127.0.0.1:* returned 1';
const sent = 'http:SEND 127.0.0.1:* returned 0';
const came = 'http:RECEIVE 127.0.0.1:* returned 0';
/** What came belongs to the request that opened it. */
const asked = [opened, came, came, came, sent, sent];

const call: FidelityAct = {
  run: async ({ address }) => {
    const socket = open(address, '/echo', ['first', 'second']);
    const told = eventsOf(socket, () => socket.close(3001, 'enough'));
    socket.addEventListener('open', () => socket.send('sell 1,000 – é'));
    const refused = await eventsOf(open(address.replace(/\d+$/, '2'), '/'));
    return { told: await told, refused: refused.length };
  },
  shows: {
    told: [
      ['Event', 1, 'first'],
      { class: '[object String]', value: 'sell 1,000 – é' },
      { code: 3001, reason: 'enough', wasClean: true, readyState: 3 },
    ],
    refused: 1,
  },
  crossings: [opened, came, came, came, 'http:GET 127.0.0.1:* threw 1', sent, sent],
};

const stream: FidelityAct = {
  run: ({ address }) => {
    const socket = open(address, '/stream');
    socket.addEventListener('open', () => socket.send('go on'));
    return eventsOf(socket);
  },
  shows: [
    ['Event', 1, ''],
    { value: 'one ' },
    { class: '[object ArrayBuffer]', value: [0xf0, 0x9f, 0x00, 0xff] },
    { value: 'in several frames é' },
    { value: /^packed packed/ },
    { code: 4001, reason: 'that was all', wasClean: true },
  ],
  crossings: [opened, came, came, came, came, came, came, sent],
};

const abort: FidelityAct = {
  run: async ({ address }) => {
    const socket = open(address, '/echo');
    socket.addEventListener('open', () => socket.send('one'));
    const left = await eventsOf(socket, () => socket.close());
    return { left };
  },
  shows: { left: [['Event', 1, ''], { value: 'one' }, { code: 1005, wasClean: true }] },
  crossings: asked,
};

const midStreamError: FidelityAct = {
  run: ({ address }) => {
    const socket = open(address, '/breaks');
    socket.addEventListener('open', () => socket.send('go on'));
    return eventsOf(socket, ({ data }) => {
      if (String(data).startsWith('packed')) socket.send('enough');
    });
  },
  shows: { length: 7, 2: { value: [0xf0, 0x9f, 0x00, 0xff] }, 6: { code: 1006, wasClean: false } },
  crossings: [opened, came, came, came, came, came, sent, sent],
};

const retry: FidelityAct = {
  run: async ({ address }) => {
    const refused = await eventsOf(open(address, '/limited'));
    return [refused.length, await ask(address, '/limited', 'again')];
  },
  shows: [1, 'again'],
  crossings: ['http:GET 127.0.0.1:* returned 1', ...asked],
};

const timeout: FidelityAct = {
  run: async ({ address }) => {
    const socket = open(address, '/hangs');
    setTimeout(() => socket.close(), 100);
    return (await eventsOf(socket)).length;
  },
  shows: 1,
  crossings: ['http:GET 127.0.0.1:* aborted 1'],
};

const reverseParallel: FidelityAct = {
  run: async ({ address }) => {
    const finished: string[] = [];
    const answers = ['first', 'second', 'third'].map(async (text) => {
      const answer = await ask(address, '/parallel', text);
      finished.push(answer);
      return answer;
    });
    return { answers: await Promise.all(answers), finished };
  },
  shows: { answers: ['first', 'second', 'third'], finished: ['third', 'second', 'first'] },
  crossings: [opened, came, came, came, opened, came, came, came, opened, came, came, came, ...Array(6).fill(sent)],
};

const nestedTools: FidelityAct = {
  run: ({ address }) => {
    const inner = tool('inner', (text: string) => ask(address, '/echo', text));
    const outer = tool('outer', async (text: string) => (await inner(text)) + (await ask(address, '/echo', text)));
    return outer('sell');
  },
  shows: 'sellsell',
  crossings: ['tool:outer returned 0', 'tool:inner returned 0', ...asked, ...asked],
};

const helpers: FidelityAct = {
  run: async ({ address }) => {
    const socket = open(address, '/echo');
    socket.binaryType = 'blob';
    await once(socket, 'open');
    const answers: unknown[] = [];
    for (const data of [new Blob(['a', 'b']), new Uint8Array([1, 2]).buffer, new DataView(new ArrayBuffer(3), 1)]) {
      socket.send(data);
      const [{ data: answer }] = (await once(socket, 'message')) as [MessageEvent];
      answers.push([answer instanceof Blob, [...new Uint8Array(await (answer as Blob).arrayBuffer())]]);
    }
    const closed = once(socket, 'close');
    socket.close();
    await closed;
    return answers;
  },
  shows: [
    [true, [97, 98]],
    [true, [1, 2]],
    [true, [0, 0]],
  ],
  crossings: [opened, came, came, came, came, came, sent, sent, sent, sent],
};

const why = 'A message is an event: there is nothing that could be read twice.';

/** The class that the platform brings. */
export const webSocketFidelity: FidelityLibrary = {
  name: '`WebSocket`',
  isOfRuns: true,
  start: startWebSocketPeer,
  patch: () => {
    const instrumentation = new HttpInstrumentation({ inbound: false });
    return () => instrumentation.disable();
  },
  patched: () => {
    // Of the undici inside Node.js, whose agent all requests without one of their own go through.
    const keys = ['undici.globalDispatcher.2', 'undici.globalDispatcher.1'].map((key) => Symbol.for(key));
    const agent = keys.map((key) => Reflect.get(globalThis, key) as object | undefined).find((found) => found) ?? {};
    return [[Object.getPrototypeOf(Object.getPrototypeOf(agent)) as object, 'dispatch']];
  },
  applications: { why: 'It is part of the platform, and no file is loaded for it.' },
  cases: {
    call,
    stream,
    abort,
    'mid-stream error': midStreamError,
    '429 then success': retry,
    timeout,
    'reverse parallel': reverseParallel,
    'nested tools': nestedTools,
    'double iteration': { why },
    tee: { why },
    helpers,
  },
};
