import { once } from 'node:events';
import http2, {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type Http2Server,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { type RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorFacts, patchHttp, recordAct } from '../testdata/http-suite.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchHttp();
});
afterAll(() => undo());

/** A real HTTP/2 server on a free port; counts connections and bodies. */
class Http2Peer {
  readonly bodies: string[] = [];
  sessions = 0;
  private readonly server: Http2Server;
  private readonly open = new Set<{ destroy(): void }>();

  private constructor(server: Http2Server) {
    this.server = server;
  }

  static async start(answer: (stream: ServerHttp2Stream, path: string) => void): Promise<Http2Peer> {
    const server = http2.createServer();
    const peer = new Http2Peer(server);
    server.on('session', (session) => {
      peer.sessions += 1;
      peer.open.add(session);
      session.on('error', () => undefined);
    });
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        peer.bodies.push(Buffer.concat(parts).toString());
        answer(stream, String(headers[':path']));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return peer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const session of this.open) session.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Everything that happens to a stream, in order, until it has closed. */
function logOf(stream: ClientHttp2Stream, act?: (bytes: number) => void): Promise<unknown[]> {
  const log: unknown[] = [];
  let bytes = 0;
  stream.on('response', (headers) => log.push(['response', { ...headers, date: undefined }]));
  stream.on('data', (chunk: Buffer) => {
    log.push(['data', chunk.toString('latin1')]);
    bytes += chunk.byteLength;
    act?.(bytes);
  });
  stream.on('trailers', (headers) => log.push(['trailers', { ...headers }]));
  stream.on('end', () => log.push('end'));
  stream.on('error', (error) => log.push(['error', errorFacts(error)]));
  return new Promise((resolve) => stream.on('close', () => setImmediate(() => resolve([...log, stream.rstCode]))));
}

async function withSession<Result>(
  url: string,
  act: (session: ClientHttp2Session) => Promise<Result>,
): Promise<Result> {
  const session = http2.connect(url);
  session.on('error', () => undefined);
  try {
    return await act(session);
  } finally {
    session.destroy();
  }
}

type Act = (session: ClientHttp2Session) => Promise<unknown>;

async function bothEnds(
  answer: (stream: ServerHttp2Stream, path: string) => void,
  act: Act,
  count = 1,
): Promise<{ recorded: unknown; replayed: unknown; player: TapePlayer; peer: Http2Peer; calls: RecordedCalls }> {
  const peer = await Http2Peer.start(answer);
  const { url } = peer;
  const { recorded, calls } = await recordAct(() => withSession(url, act), count);
  const sessions = peer.sessions;
  const player = new TapePlayer(calls.crossings());
  const replayed = await player.during(() => withSession(url, act));
  expect(peer.sessions).toBe(sessions);
  await peer.stop();
  return { recorded, replayed, player, peer, calls };
}

function inPieces(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'x-one': ['a', 'b'] }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '42' }));
  stream.write(Buffer.from([0, 255, 10]), () => setImmediate(() => stream.end('last')));
}

const acts: readonly (readonly [string, (stream: ServerHttp2Stream, path: string) => void, Act])[] = [
  ['a response in pieces with trailers', inPieces, (session) => logOf(session.request({ ':path': '/a?b=1' }))],
  [
    'a body in pieces',
    (stream) => stream.respond({ ':status': 404 }, { endStream: true }),
    (session) => {
      const stream = session.request({ ':method': 'POST', ':path': '/' });
      stream.write('one ');
      setImmediate(() => stream.end('two'));
      return logOf(stream);
    },
  ],
  [
    'a body of more than is taken before any of it is read',
    (stream) => stream.respond({ ':status': 200 }, { endStream: true }),
    (session) => {
      const stream = session.request({ ':method': 'POST', ':path': '/' });
      Readable.from(Array.from({ length: 30 }, () => Buffer.alloc(10_000, 7))).pipe(stream);
      return logOf(stream);
    },
  ],
  [
    'a stream that the server resets',
    (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('half', () => setImmediate(() => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR)));
    },
    (session) => logOf(session.request({ ':path': '/' })),
  ],
  [
    'a stream that the server refuses',
    (stream) => stream.close(http2.constants.NGHTTP2_REFUSED_STREAM),
    (session) => logOf(session.request({ ':path': '/' })),
  ],
  [
    'a stream that the server destroys while it answers',
    (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('half', () => setImmediate(() => stream.destroy(new Error('gone'))));
    },
    (session) => logOf(session.request({ ':path': '/' })),
  ],
  [
    'a stream that the server closes with a code while it answers',
    (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('half', () => setImmediate(() => stream.close(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM)));
    },
    (session) => logOf(session.request({ ':path': '/' })),
  ],
  [
    'a stream whose connection the server closes',
    (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('half', () => setImmediate(() => stream.session?.destroy()));
    },
    (session) => logOf(session.request({ ':path': '/' })),
  ],
  [
    'a request whose connection the server closes before it answers',
    (stream) => void stream.session?.destroy(),
    (session) => logOf(session.request({ ':path': '/' })),
  ],
  [
    'a request that is called off',
    (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('forever');
    },
    (session) => {
      const stream = session.request({ ':path': '/' });
      return logOf(stream, () => stream.close(http2.constants.NGHTTP2_CANCEL));
    },
  ],
];

describe('a request of an HTTP/2 session', () => {
  it.each(acts)('%s: recorded, served without a connection', async (_name, answer, act) => {
    const { recorded, replayed, player } = await bothEnds(answer, act);
    expect(replayed).toEqual(recorded);
    expect(player.refusals).toEqual([]);
    expect(player.changed).toEqual([]);
    expect(player.left).toEqual([]);
  });

  it('in parallel with others that finish in reverse gets its own answer', async () => {
    const waiting: (() => void)[] = [];
    const answer = (stream: ServerHttp2Stream, path: string): void => {
      waiting.push(() => {
        stream.respond({ ':status': 200 });
        stream.end(path);
      });
      if (waiting.length === 3) for (const next of waiting.splice(0).reverse()) next();
    };
    const act: Act = (session) =>
      Promise.all(['/1', '/2', '/3'].map(async (path) => (await logOf(session.request({ ':path': path })))[1]));
    const { recorded, replayed } = await bothEnds(answer, act, 3);
    expect(recorded).toEqual([
      ['data', '/1'],
      ['data', '/2'],
      ['data', '/3'],
    ]);
    expect(replayed).toEqual(recorded);
  });

  it('that the session refuses at once is refused again, and takes no answer from another', async () => {
    const answer = (stream: ServerHttp2Stream, path: string): void => {
      stream.respond({ ':status': 200 });
      stream.end(path);
    };
    const act: Act = async (session) => {
      const refused = await (async () => logOf(session.request({ 'not a token': '1' })))().catch(errorFacts);
      return [refused, await logOf(session.request({ ':path': '/next' }))];
    };
    const { recorded, replayed, player, calls } = await bothEnds(answer, act, 2);
    expect(calls.crossings().map(({ exchanges }) => exchanges.length)).toEqual([1, 1]);
    expect(recorded).toMatchObject([{ code: 'ERR_INVALID_HTTP_TOKEN' }, { 1: ['data', '/next'] }]);
    expect(replayed).toEqual(recorded);
    expect([player.refusals, player.changed, player.left]).toEqual([[], [], []]);
  });

  it('fails again where nobody listens, and so does its session', async () => {
    const peer = await Http2Peer.start(() => undefined);
    const { url } = peer;
    await peer.stop();
    const act = async (): Promise<unknown> => {
      const session = http2.connect(url);
      const failed = once(session, 'error').catch((error: unknown) => [error]);
      session.on('error', () => undefined);
      const log = await logOf(session.request({ ':path': '/' }));
      session.destroy();
      return [log, ...(await failed).map(errorFacts)];
    };
    const { recorded, calls } = await recordAct(act);
    const player = new TapePlayer(calls.crossings());
    expect(await player.during(act)).toEqual(recorded);
    expect(recorded).toMatchObject({ 1: { code: 'ECONNREFUSED' } });
  });
});

describe('a session that util.promisify gives', () => {
  it('is recorded and served, and fails as it does', async () => {
    const peer = await Http2Peer.start(inPieces);
    const { url } = peer;
    const promised = promisify(http2.connect) as unknown as (url: string) => Promise<ClientHttp2Session>;
    const act = async (): Promise<unknown> => {
      const session = await promised(url);
      try {
        return await logOf(session.request({ ':path': '/' }));
      } finally {
        session.destroy();
      }
    };
    const { recorded, calls } = await recordAct(act);
    await peer.stop();
    const player = new TapePlayer(calls.crossings());
    expect(await player.during(act)).toEqual(recorded);
    expect([player.refusals, player.left]).toEqual([[], []]);
    await expect(promised(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('a replay', () => {
  it('refuses what was not recorded, and sends for real what its plan lets run', async () => {
    const peer = await Http2Peer.start(inPieces);
    const act: Act = (session) => {
      const stream = session.request({ ':method': 'POST', ':path': '/' });
      stream.end('body');
      return logOf(stream);
    };
    const { url } = peer;
    const { recorded, calls } = await recordAct(() => withSession(url, act));
    const refusing = new TapePlayer([]);
    const refused = await refusing.during(() => withSession(url, act));
    expect(refused).toContainEqual(['error', expect.objectContaining({ code: 'replay-refused' })]);
    expect(peer.bodies).toEqual(['body']);
    const player = new TapePlayer(calls.crossings());
    player.live.add(`POST ${new URL(url).host}`);
    expect(await player.during(() => withSession(url, act))).toEqual(recorded);
    expect(peer.bodies).toEqual(['body', 'body']);
    await peer.stop();
  });
});
