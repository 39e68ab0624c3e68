import { once } from 'node:events';
import http from 'node:http';
import http2, { type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as grpc from '@grpc/grpc-js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { gate } from '@reenact/instrumentation';
import { GrpcInstrumentation } from '@reenact/instrumentation-grpc';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { instrumentMcpServer } from '@reenact/instrumentation-mcp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { thrownBy } from './error-facts.ts';
import { FAULTS, fail, visibleFailures } from './faults.ts';
import { type FidelityAct, isAct, type Peer } from './fidelity-library.ts';
import { grpcFidelity } from './libraries/grpc.ts';
import { startGrpcPeer } from './libraries/grpc-peer.ts';
import { nodeHttpFidelity } from './libraries/node-http.ts';
import { startPlainPeer } from './peers/plain-peer.ts';
import { FidelityHost } from './record-then-replay.ts';

/** Every place of ours fails in a run of its own. */
const SABOTAGE_TIMEOUT_MS = 240_000;

/** A kind of server behind the gate, and what a client that is not behind it sees of one. */
interface ServerRow {
  readonly name: string;
  /** `ignore` is the user's own function, where the instrumentation takes one. Returns how to undo it. */
  readonly patch: (ignore: () => boolean) => () => void;
  /** Starts a server, asks it everything, stops it, and gives what the client saw. */
  readonly ask: () => Promise<unknown>;
  /** Whether its calls are runs of their own. */
  readonly isEntry: boolean;
  /** How many places of ours a call passes at least, so that the test fails where none is found. */
  readonly placesMin: number;
}

async function runAct(cell: FidelityAct | { readonly why: string }, start: () => Promise<Peer>): Promise<unknown> {
  if (!isAct(cell)) return undefined;
  const peer = await start();
  try {
    return await cell.run(peer);
  } finally {
    await peer.stop();
  }
}

/** A server that routes by itself and whose handler throws, beside the moods of the plain peer. */
async function askRouted(): Promise<unknown> {
  const server = http.createServer((request, response) => {
    if (request.url === '/healthz') return void response.end('well');
    void text(request).then((body) => {
      response.writeHead(request.method === 'POST' ? 201 : 500, { 'x-asked': body, location: '/elsewhere' });
      response.end(JSON.stringify({ body, headers: request.rawHeaders.length }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const seen: unknown[] = [];
  for (const [method, path] of [
    ['POST', '/a?b=1'],
    ['GET', '/fails'],
    ['HEAD', '/'],
    ['GET', '/healthz'],
  ] as const) {
    const request = http.request({ port, method, path, headers: { baggage: 'tenant=acme' }, agent: false });
    const [response] = (await once(request.end(method === 'POST' ? '{"shares":7}' : ''), 'response')) as [
      http.IncomingMessage,
    ];
    const { date: _date, ...headers } = response.headers;
    seen.push([response.statusCode, headers, await text(response)]);
  }
  await new Promise((resolve) => server.close(resolve));
  return seen;
}

const { call, stream, 'mid-stream error': midStreamError, abort } = nodeHttpFidelity.cases;

async function askHttp(): Promise<unknown> {
  const seen: unknown[] = [await askRouted()];
  for (const cell of [call, stream, midStreamError, abort]) seen.push(await runAct(cell, startPlainPeer));
  return seen;
}

/** Streams with trailers and a push, and a server that resets, over one session. */
async function askHttp2(): Promise<unknown> {
  const server = http2.createServer();
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined);
    if (headers[':path'] === '/resets') return void stream.close(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM);
    void text(stream).then((body) => {
      stream.pushStream({ ':path': '/pushed' }, (_error, pushed) => pushed.end('pushed'));
      stream.respond({ ':status': 201, 'x-asked': body }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '42' }));
      stream.end(JSON.stringify({ body, baggage: headers.baggage }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const seen: unknown[] = [];
  session.on('stream', (pushed) => void text(pushed).then((body) => seen.push(body)));
  for (const path of ['/a?b=1', '/healthz', '/resets']) {
    const asked = session.request({ ':method': 'POST', ':path': path, baggage: 'tenant=acme' });
    asked.on('response', ({ date: _date, ...headers }) => seen.push({ ...headers }));
    asked.on('trailers', (trailers) => seen.push({ ...trailers }));
    asked.on('error', ({ message }) => seen.push(message));
    asked.end('{"shares":7}');
    seen.push(await text(asked).catch(String), asked.rstCode);
  }
  const closed = once(session, 'close');
  session.close();
  await closed;
  await new Promise((resolve) => server.close(resolve));
  return seen;
}

async function askGrpc(): Promise<unknown> {
  const { cases } = grpcFidelity;
  const seen: unknown[] = [];
  for (const cell of [cases.call, cases.stream, cases['mid-stream error'], cases.helpers]) {
    seen.push(await runAct(cell, startGrpcPeer));
  }
  return seen;
}

let wrapMcpServer = (server: McpServer): McpServer => server;

async function askMcp(): Promise<unknown> {
  const server = wrapMcpServer(new McpServer({ name: 'shop', version: '1' }));
  server.registerTool('echo', {}, async ({ _meta }) => ({ content: [{ type: 'text', text: JSON.stringify(_meta) }] }));
  server.registerTool('fail', {}, async () => {
    throw new RangeError('no such order');
  });
  const client = new Client({ name: 'client', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  const _meta = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', baggage: 'tenant=acme' };
  const seen = [
    await client.listTools(),
    await client.callTool({ name: 'echo', arguments: {}, _meta }),
    await client.callTool({ name: 'fail', arguments: {}, _meta }),
    await thrownBy(() => client.readResource({ uri: 'file:///none' })),
  ];
  await client.close();
  return seen;
}

const servers: readonly ServerRow[] = [
  {
    name: '`node:http`',
    patch: (ignore) => {
      const instrumentation = new HttpInstrumentation({ outbound: false, ignore });
      return () => instrumentation.disable();
    },
    ask: askHttp,
    isEntry: true,
    placesMin: 30,
  },
  {
    name: '`node:http2`',
    patch: (ignore) => {
      const instrumentation = new HttpInstrumentation({ outbound: false, ignore });
      return () => instrumentation.disable();
    },
    ask: askHttp2,
    isEntry: true,
    placesMin: 30,
  },
  {
    name: '`@grpc/grpc-js`',
    patch: (ignore) => {
      const instrumentation = new GrpcInstrumentation({ outbound: false, ignore });
      instrumentation.instrumentGrpc(grpc);
      return () => instrumentation.disable();
    },
    ask: askGrpc,
    isEntry: true,
    placesMin: 30,
  },
  {
    name: '`@modelcontextprotocol/sdk`',
    patch: () => {
      wrapMcpServer = instrumentMcpServer;
      return () => {
        wrapMcpServer = (server) => server;
      };
    },
    ask: askMcp,
    isEntry: false,
    placesMin: 5,
  },
];

describe.each(servers)('a server of $name, with ours broken', ({ patch, ask, isEntry, placesMin }) => {
  let host: FidelityHost;
  let plain: unknown;
  let undo: () => void;
  beforeEach(async () => {
    plain = await ask();
    host = new FidelityHost();
  });
  afterEach(async () => {
    undo();
    await host.stop();
  });

  it('not at all: its clients see the same, and where it is an entry its calls are recorded', async () => {
    undo = patch(() => false);
    expect(await ask()).toStrictEqual(plain);
    expect((await host.crossingNames()).length > 0).toBe(isEntry);
  });

  it.each(FAULTS)('because %s: its clients see the same', async (_fault, breakIt) => {
    undo = patch(() => false);
    const mend = breakIt();
    try {
      expect(await ask()).toStrictEqual(plain);
    } finally {
      mend();
    }
  });

  it('because `ignore` throws: its clients see the same, and nothing is taken for ignored', async () => {
    undo = patch(fail);
    expect(await ask()).toStrictEqual(plain);
    expect((await host.crossingNames()).length > 0).toBe(isEntry);
  });

  it(
    'at every place that reads what the host gave, one after the other: its clients see the same',
    async () => {
      undo = patch(() => false);
      expect(await visibleFailures(ask, plain, placesMin)).toEqual([]);
      // What broke while it watched a call has ended it all the same.
      expect(gate.pendingFacts().map(({ boundary }) => boundary.name)).toEqual([]);
    },
    SABOTAGE_TIMEOUT_MS,
  );
});
