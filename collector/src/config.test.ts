import { ReenactError } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { parseCollectorConfig } from './config.ts';

const destination = { name: 'next', url: 'http://far.example:4318', content: 'full' };

function refusalOf(input: unknown): ReenactError {
  try {
    parseCollectorConfig(input);
  } catch (thrown) {
    if (thrown instanceof ReenactError) return thrown;
    throw thrown;
  }
  throw new Error('The configuration was taken.');
}

function refusalOfHeaders(headers: object, protocol = 'http'): ReenactError {
  return refusalOf({ forward: [{ ...destination, protocol, headers }] });
}

describe('headers of a destination', () => {
  it.each(['content-length', 'content-encoding', 'transfer-encoding', 'content-type', 'connection'])(
    'never say how a request is sent, as %s does',
    (header) => {
      const { code, message, where } = refusalOfHeaders({ [header]: '3' });
      expect([code, where]).toEqual(['bad-config', `forward.0.headers.${header}`]);
      expect(message).toContain('is made for each request');
    },
  );

  it.each(['one\ntwo', 'schön', '日本'])('have values that can be sent: not %j', (value) => {
    const { message } = refusalOfHeaders({ 'x-team': value });
    expect(message).toContain('ASCII, on one line');
    expect(message).not.toContain(value);
  });

  it.each(['x-bin', 'grpc-timeout'])('are none of the protocol’s own over gRPC, as %s is', (header) => {
    expect(refusalOfHeaders({ [header]: '1S' }, 'grpc')).toMatchObject({ where: 'forward.0.headers' });
    expect(parseCollectorConfig({ forward: [{ ...destination, headers: { [header]: '1S' } }] }).forward).toHaveLength(
      1,
    );
  });

  it('are told to be in lower case where they are not', () => {
    const { message, next } = refusalOfHeaders({ 'X-Scope-OrgID': 'shop' });
    expect(message).toContain('in lower case');
    expect(next).toContain('Correct the name forward.0.headers.X-Scope-OrgID');
  });
});

describe('the URL of a destination', () => {
  it.each(['grpc://far.example:4317', 'far.example:4317'])('that is %s is told how to be written', (url) => {
    expect(refusalOf({ forward: [{ ...destination, url }] }).message).toContain('"protocol": "grpc"');
  });

  it.each(['http://far.example:99999', 'https://far example', 'HTTP://[::1'])(
    'that is %s is told to be none, and not to begin as it does',
    (url) => {
      const forward = refusalOf({ forward: [{ ...destination, url }] });
      const metrics = refusalOf({ metricsExport: { url } });
      for (const { message } of [forward, metrics]) {
        expect(message).toContain('65535 at most');
        expect(message).not.toContain('begins with');
      }
    },
  );

  it.each(['http', 'grpc'])('that has port 0 over %s is told that nothing listens there', (protocol) => {
    const url = 'http://far.example:0';
    expect(refusalOf({ forward: [{ ...destination, url, protocol }] }).message).toContain(
      'nothing can be reached at port 0',
    );
    expect(refusalOf({ metricsExport: { url } }).message).toContain('nothing can be reached at port 0');
    expect(refusalOf({ references: { allow: ['https://far.example:0/'] } }).message).toContain('port 0');
  });

  it.each([
    [{}, 'http://127.0.0.1:4318', 'http'],
    [{}, 'http://localhost:4317', 'grpc'],
    [{ host: '0.0.0.0' }, 'http://[::1]:4318/v1/traces', 'http'],
    [{ host: '10.0.0.7', httpPort: 80 }, 'http://10.0.0.7', 'http'],
  ])('is never the collector itself: with %o not %s over %s', (more, url, protocol) => {
    const { message, where } = refusalOf({ ...more, forward: [{ ...destination, url, protocol }] });
    expect([message, where]).toEqual(['The collector would forward to itself: next.', 'forward.0.url']);
  });

  it('may be another port, or another machine', () => {
    const urls = ['http://127.0.0.1:14318', 'http://10.0.0.7:4318'];
    const forward = urls.map((url, index) => ({ ...destination, name: `next-${index}`, url }));
    expect(parseCollectorConfig({ forward }).forward).toHaveLength(2);
  });
});

describe('the ports', () => {
  it.each([{ httpPort: 4317 }, { httpPort: 5000, grpcPort: 5000 }])('are not one and the same: %o', (ports) => {
    expect(refusalOf(ports)).toMatchObject({ code: 'bad-config', where: 'httpPort, grpcPort' });
  });

  it('may both be picked', () => {
    expect(parseCollectorConfig({ httpPort: 0, grpcPort: 0 })).toMatchObject({ httpPort: 0, grpcPort: 0 });
  });
});

describe('a limit of time', () => {
  it('is one that a timer can hold', () => {
    expect(refusalOf({ references: { timeoutMs: 2 ** 31 } }).where).toBe('references.timeoutMs');
  });
});

describe('a destination without what it needs', () => {
  it('is refused with the page that says what destinations take', () => {
    const { where, next } = refusalOf({ forward: [{ name: 'next', url: 'http://far.example:4318' }] });
    expect([where, next]).toEqual(['forward.0.content', expect.stringContaining('reenact docs forwarding')]);
  });
});

describe('the name of a destination', () => {
  it('is refused in each place where another has it, since it names the queue', () => {
    const forward = ['a', 'b', 'a', 'b'].map((name) => ({ ...destination, name }));
    const { message } = refusalOf({ forward });
    expect(message).toMatch(/name "a", and so the same queue.*forward\.2\.name.*name "b".*forward\.3\.name/s);
    expect(parseCollectorConfig({ forward: forward.slice(0, 2) }).forward).toHaveLength(2);
  });
});

it.each(['127.0.0.1:4318', 'http://127.0.0.1', '[::1]', 'two words', ''])(
  'says of %j that it is no host, and not that it were open to others',
  (host) => {
    expect(() => parseCollectorConfig({ host })).toThrow(/alone, without a scheme, a port or brackets/);
  },
);

it.each(['127.0.0.1', '::1', 'localhost'])('takes %s as a host', (host) => {
  expect(parseCollectorConfig({ host }).host).toBe(host);
});
