import { createSocket } from 'node:dgram';
import { lookup, promises as namePromises, Resolver, resolve4 } from 'node:dns';
import { Agent, get, request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { get as getSecurely } from 'node:https';
import { createRequire } from 'node:module';
import { connect, createConnection, Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { type Attempts, calledBack, ending } from './attempts.ts';

const { HTTP_PORT, HTTP2_PORT, TCP_PORT, UDP_PORT, PIPE = '' } = process.env;
const host = '127.0.0.1';
const tcpPort = Number(TCP_PORT);
const url = `http://${host}:${HTTP_PORT}/`;
const secureUrl = `https://${host}:${HTTP_PORT}/`;
const dependency = createRequire(`${process.cwd()}/package.json`)('old-library') as {
  networkAttempts(port: number): Attempts;
};

function resolver(): Resolver {
  const made = new Resolver({ timeout: 500, tries: 1 });
  made.setServers([`${host}:${UDP_PORT}`]);
  return made;
}

function promisedResolver(): namePromises.Resolver {
  const made = new namePromises.Resolver({ timeout: 500, tries: 1 });
  made.setServers([`${host}:${UDP_PORT}`]);
  return made;
}

async function overHttp2(address: string): Promise<unknown> {
  const session = connectHttp2(address);
  try {
    return await ending(session, 'connect');
  } finally {
    session.destroy();
  }
}

async function fetchText(...parameters: Parameters<typeof fetch>): Promise<string> {
  return (await fetch(...parameters)).text();
}

/** What a client of every kind tries; the name begins with the function that a report names. */
export const attempts: Attempts = {
  'net.connect': () => ending(connect(tcpPort, host), 'data'),
  'net.connect by options': () => ending(createConnection({ port: tcpPort, host }), 'data'),
  'net.connect of a new socket': () => ending(new Socket().connect({ port: tcpPort, host }), 'data'),
  'net.connect with data to send': () => {
    const socket = connect(tcpPort, host);
    socket.write('sent before it was connected');
    return ending(socket, 'data');
  },
  'net.connect to a Unix socket': () => ending(connect(PIPE), 'data', 'end'),
  'tls.connect': () => ending(connectSecurely({ port: tcpPort, host }), 'secureConnect'),
  'http.request': () => ending(get(url), 'response'),
  'http.request with a body': () => {
    const sent = request(url, { method: 'POST', headers: { 'content-length': 4 } });
    sent.end('body');
    return ending(sent, 'response');
  },
  'http.request by an agent': () => ending(get(url, { agent: new Agent({ keepAlive: true }) }), 'response'),
  'http.request without an agent': () => ending(get(url, { agent: false }), 'response'),
  'http.request to a Unix socket': () => ending(get({ socketPath: PIPE, path: '/' }), 'response'),
  'net.connect by a request of its own': () =>
    ending(get(url, { createConnection: () => connect(tcpPort, host) }), 'response'),
  'https.request': () => ending(getSecurely(secureUrl), 'response'),
  'http2.connect': () => overHttp2(`http://${host}:${HTTP2_PORT}`),
  'http2.connect securely': () => overHttp2(`https://${host}:${HTTP2_PORT}`),
  'http2.connect with a request at once': () => {
    const session = connectHttp2(`http://${host}:${HTTP2_PORT}`);
    session.on('error', () => undefined);
    const request = ending(session.request({ ':path': '/' }), 'response').finally(() => session.destroy());
    // The request is cancelled, because of what the session failed with.
    return request.catch((error: Error) => Promise.reject(error.cause ?? error));
  },
  fetch: () => fetchText(url),
  'fetch of a request': () => fetchText(new Request(url, { method: 'POST', body: 'x' })),
  'fetch of a URL': () => fetchText(new URL(url)),
  'dgram.Socket.send': () => calledBack((done) => createSocket('udp4').send('x', Number(UDP_PORT), host, done)),
  'dgram.Socket.send without a callback': async () => {
    const socket = createSocket('udp4');
    socket.send(Buffer.from('abc'), 0, 2, Number(UDP_PORT), host);
    return ending(socket, 'listening');
  },
  'dgram.Socket.connect': () =>
    calledBack((done) => createSocket('udp4').connect(Number(UDP_PORT), host, done as () => void)),
  'dgram.Socket.bind': () => {
    const socket = createSocket('udp4');
    socket.bind(0);
    return ending(socket, 'listening');
  },
  'dns.lookup': () => calledBack((done) => lookup('reenact.invalid', done)),
  'dns.resolve4': () => calledBack((done) => resolve4('reenact.invalid', done)),
  'dns.resolveTxt': () => calledBack((done) => resolver().resolveTxt('secret.reenact.invalid', done)),
  'dns.resolve': () => promisedResolver().resolve('secret.reenact.invalid'),
  'dns.reverse': () => namePromises.reverse('192.0.2.1'),
  ...dependency.networkAttempts(tcpPort),
};
