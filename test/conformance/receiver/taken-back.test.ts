import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { startProcess } from '../durability/start-process.ts';
import { Testbed } from '../testbed.ts';

const EXPORT_PATH = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const frameTypes = { headers: 1, reset: 3, settings: 4, ping: 6 } as const;
const END_HEADERS = 4;
const CANCEL = Buffer.from([0, 0, 0, 8]);
/** Of the fixed table of HPACK: `:method POST` and `:scheme http`. */
const POST_OVER_HTTP = Buffer.from([0x83, 0x86]);

const testbed = new Testbed();
afterAll(() => testbed.dispose());

function frame(type: keyof typeof frameTypes, flags: number, streamId: number, content: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(content.length, 0, 3);
  head[3] = frameTypes[type];
  head[4] = flags;
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, content]);
}

function header(name: string, value: string): Buffer {
  const written = [name, value].flatMap((text) => [Buffer.from([text.length]), Buffer.from(text)]);
  return Buffer.concat([Buffer.alloc(1), ...written]);
}

/** The bytes of a call that is taken back at once. */
function callTakenBack(path: string, contentType: string): Buffer {
  const named = [header(':path', path), header(':authority', 'a'), header('content-type', contentType)];
  const headers = frame('headers', END_HEADERS, 1, Buffer.concat([POST_OVER_HTTP, ...named]));
  return Buffer.concat([headers, frame('reset', 0, 1, CANCEL)]);
}

describe('a call over gRPC that is taken back in the bytes that began it', () => {
  it.each([
    ['a method that there is not', '/no.Such/Method', 'application/grpc'],
    ['a type that is not of gRPC', EXPORT_PATH, 'text/plain'],
    ['a method that there is', EXPORT_PATH, 'application/grpc'],
  ])('is over, and the collector goes on: %s', async (_, path, contentType) => {
    const { child, httpUrl, grpcUrl } = await startProcess(await testbed.directory());
    const closed = once(child, 'close');
    const socket = connect(Number(new URL(grpcUrl).port), '127.0.0.1').on('error', () => undefined);
    const ping = frame('ping', 0, 0, Buffer.from('reenact.'));
    socket.write(
      Buffer.concat([PREFACE, frame('settings', 0, 0, Buffer.alloc(0)), callTakenBack(path, contentType), ping]),
    );
    let heard = Buffer.alloc(0);
    for await (const bytes of socket) {
      heard = Buffer.concat([heard, bytes as Buffer]);
      if (heard.includes('reenact.')) break;
    }
    const ready = fetch(`${httpUrl}/health/ready`).then(({ status }) => status);
    const found = await Promise.race([ready.catch(() => 'nobody answers'), closed.then(() => 'it has ended')]);
    child.kill('SIGKILL');
    await closed;
    expect(found).toBe(200);
  });
});
