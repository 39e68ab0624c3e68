import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCollectorConfig } from '@reenact/collector';
import { errorsIn, isReenactError } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectorSettings, readSettings } from './collector-settings.ts';

const none = { forward: [], forwardFull: [] };
let folder: string;

function file(text: string): string {
  const path = join(folder, 'collector.json');
  writeFileSync(path, text);
  return path;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-settings-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('the settings of a collector', () => {
  it('are defaults, then the file, then flags', () => {
    expect(collectorSettings(none, {})).toMatchObject({
      httpPort: 4318,
      grpcPort: 4317,
      host: '127.0.0.1',
      forward: [],
    });
    const config = file('{"httpPort":5000,"grpcPort":5001,"requestBytesMax":4096}');
    expect(collectorSettings({ ...none, config, grpcPort: 0 }, {})).toMatchObject({
      httpPort: 5000,
      grpcPort: 0,
      requestBytesMax: 4096,
    });
  });

  it('take variables over the file, and flags over both; the file may be named by a variable', () => {
    const environment = {
      REENACT_COLLECTOR: 'http://elsewhere:4318',
      REENACT_COLLECTOR_CONFIG: file('{"httpPort":5000,"host":"localhost","grpcPort":1}'),
      REENACT_COLLECTOR_HTTP_PORT: '5002',
      REENACT_COLLECTOR_GRPC_PORT: '5003',
      REENACT_COLLECTOR_DATA_DIRECTORY: '/data',
      REENACT_COLLECTOR_LIMITS: '{"forwardItemsMax":7}',
    };
    expect(collectorSettings({ ...none, httpPort: 0 }, environment)).toMatchObject({
      host: 'localhost',
      httpPort: 0,
      grpcPort: 5003,
      dataDirectory: '/data',
      limits: { forwardItemsMax: 7 },
    });
  });
});

describe('the file of a configuration', () => {
  it('that is not there is told apart from one that cannot be read', () => {
    const refusalOf = (config: string) => {
      try {
        return collectorSettings({ ...none, config }, {});
      } catch (thrown) {
        return thrown;
      }
    };
    const next = 'Name a file that this user may read.';
    const nowhere = join(folder, 'nowhere.json');
    expect(refusalOf(nowhere)).toMatchObject({ message: 'There is no such configuration file.', where: nowhere, next });
    expect(refusalOf(folder)).toMatchObject({ message: 'The configuration file cannot be read: EISDIR.', next });
  });

  it('may begin with the mark that editors of Windows put before a text', () => {
    expect(collectorSettings({ ...none, config: file('\uFEFF{"httpPort":5000}') }, {})).toMatchObject({
      httpPort: 5000,
    });
  });

  it('may have the port that is usual for the other protocol, where a flag gives that another', () => {
    const config = file('{"httpPort":4317}');
    expect(collectorSettings({ ...none, config, grpcPort: 4319 }, {})).toMatchObject({ httpPort: 4317 });
  });
});

describe('variables of the collector', () => {
  it.each([
    ['REENACT_COLLECTOR_PORT', '4318', 'no setting'],
    ['REENACT_COLLECTOR_HTP_PORT', '4318', 'Did you mean REENACT_COLLECTOR_HTTP_PORT?'],
    ['REENACT_COLLECTOR_HTTP_PORT', 'four', 'not JSON from line 1, column 2 on.'],
    ['REENACT_COLLECTOR_HTTP_PORT', '70000', 'REENACT_COLLECTOR_HTTP_PORT: httpPort'],
    ['REENACT_COLLECTOR_LIMITS', '{"unknown":1}', 'REENACT_COLLECTOR_LIMITS: limits.unknown'],
  ])('refuse %s=%s', (variable, text, expected) => {
    let thrown: unknown;
    try {
      collectorSettings(none, { [variable]: text });
    } catch (error) {
      thrown = error;
    }
    const { code, message, where, next } = thrown as { code: string; message: string; where: string; next: string };
    expect(code).toBe('bad-config');
    expect(`${message} ${where} ${next}`).toContain(expected);
  });
});

describe('what cannot be used', () => {
  it.each([
    ['the file', {}, {}, /collector\.json: logLevel$/],
    ['a variable over it', { REENACT_COLLECTOR_LOG_LEVEL: 'low' }, {}, /^REENACT_COLLECTOR_LOG_LEVEL: logLevel$/],
    ['a flag over both', { REENACT_COLLECTOR_LOG_LEVEL: 'low' }, { logLevel: 'mute' }, /^--log-level: logLevel$/],
  ])('is told where it was said: %s', (_name, environment, flags, where) => {
    const config = file('{"logLevel":"loud"}');
    expect(() => collectorSettings({ ...none, config, ...flags }, environment)).toThrow(
      expect.objectContaining({ code: 'bad-config', where: expect.stringMatching(where) }),
    );
  });
});

describe('one port for both protocols', () => {
  it.each([
    [{ httpPort: 5000, grpcPort: 5000 }, {}, '--http-port, --grpc-port'],
    [{ httpPort: 5000 }, { REENACT_COLLECTOR_GRPC_PORT: '5000' }, '--http-port, REENACT_COLLECTOR_GRPC_PORT'],
    [{}, { REENACT_COLLECTOR_HTTP_PORT: '4317' }, 'REENACT_COLLECTOR_HTTP_PORT, defaults'],
  ])('is told where each was said: by %o and %o', (flags, environment, places) => {
    expect(() => collectorSettings({ ...none, ...flags }, environment)).toThrow(
      expect.objectContaining({ code: 'bad-config', where: `${places}: httpPort, grpcPort` }),
    );
  });
});

describe('flags of the collector', () => {
  it('forward slim and full', () => {
    const flags = {
      forward: [{ name: 'jaeger', url: 'http://a:1' }],
      forwardFull: [{ name: 'archive', url: 'http://b:2' }],
    };
    expect(collectorSettings(flags, {}).forward).toMatchObject([
      { name: 'jaeger', url: 'http://a:1', content: 'slim' },
      { name: 'archive', url: 'http://b:2', content: 'full' },
    ]);
  });

  it.each([
    ['an unknown key', '{"httpPrt":1}', /"httpPrt".* httpPrt Did you mean httpPort\?/],
    [
      'an unknown limit',
      '{"limits":{"tailReadersMx":1}}',
      /limits\.tailReadersMx Did you mean limits\.tailReadersMax\?/,
    ],
    ['a port of neither protocol', '{"port":4318}', /Did you mean httpPort or grpcPort\?/],
    ['a beginning of a key', '{"dataDir":"data"}', /Did you mean dataDirectory\?/],
    ['one that is like a key of a part', '{"graceDay":1}', /Did you mean retention\.graceDays\?/],
    ['a value like another', '{"logLevel":"warns"}', /"silent".* Did you mean "warn"\?/],
    ['a home directory', '{"dataDirectory":"~/data"}', /whole path.* dataDirectory/],
    ['a variable of a shell', '{"tokensFile":"${HOME}/tokens.json"}', /whole path.* tokensFile/],
    ['a limit in the wrong place', '{"stopGraceMs":1}', /Did you mean limits\.stopGraceMs\?/],
    ['a key of the top in limits', '{"limits":{"httpPort":1}}', /Did you mean httpPort\?/],
    ['one that is like a key of limits', '{"limits":{"requestBytesMax":9}}', /Did you mean requestBytesMax\?/],
    ['a limit that is like a key of the top', '{"replayBytesMax":9}', /Did you mean limits\.replayBytesMax\?/],
    ['a key like no other', '{"retention":{"colour":1}}', /retention\.colour Use only the keys graceDays, /],
    [
      'an unknown key of a destination',
      '{"forward":[{"name":"a","url":"https://a:1","content":"slim","tls":{"caFle":"a"}}]}',
      /forward\.0\.tls\.caFle Did you mean forward\.0\.tls\.caFile\?/,
    ],
    ['a time no timer can wait', '{"limits":{"stopGraceMs":2147483648}}', /limits\.stopGraceMs/],
    ['a wrong type', '{"httpPort":"many"}', /httpPort Correct the value of httpPort; `reenact docs collector` says/],
    [
      'a key that was left out',
      '{"forward":[{"name":"a","url":"http://a:1"}]}',
      /lacks forward\.0\.content.* Add content;/,
    ],
    ['a trailing comma', '{\n  "httpPort": 1,\n}', /not JSON from line 3, column 1 on\./],
    ['text that is no JSON', 'httpPort: 1', /not JSON from line 1, column 1 on\./],
  ])('refuse %s, naming the file', (_name, text, message) => {
    const config = file(text);
    let thrown: unknown;
    try {
      collectorSettings({ ...none, config }, {});
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'bad-config', where: expect.stringContaining(config) });
    const { message: what, next, where } = thrown as { message: string; next: string; where: string };
    expect(`${what} ${where} ${next}`).toMatch(message);
  });

  it('suggest a variable for one that does not exist only where its own name is near', () => {
    const told = (variable: string): string => {
      try {
        collectorSettings(none, { [variable]: '1' });
        return 'nothing';
      } catch (error) {
        return isReenactError(error) ? (error.next ?? '') : 'another error';
      }
    };
    expect(told('REENACT_COLLECTOR_HTPP_PORT')).toMatch(/^Did you mean REENACT_COLLECTOR_HTTP_PORT\?/);
    expect(told('REENACT_COLLECTOR_BOGUS')).toMatch(/^Use only REENACT_COLLECTOR_CONFIG, /);
  });
});

describe('several mistakes', () => {
  it('are all told at once, each with where it was said and what is near, and with the files that are named', () => {
    const config = file(
      '{"port":1,"httpPort":"many","host":"0.0.0.0","limits":{"tailReadersMx":1},"tokensFile":"nowhere.json","tls":{"certificateFile":"a.pem","keyFile":"b.pem"},"page":{},"page":{}}',
    );
    const environment = { REENACT_COLLECTOR_PORT: '1', REENACT_COLLECTOR_FORWARD: 'jaeger' };
    let thrown: unknown;
    try {
      readSettings({ ...none, config, logLevel: 'loud' }, environment, checkCollectorConfig);
    } catch (error) {
      thrown = error;
    }
    if (!isReenactError(thrown)) throw new Error('The configuration was taken.');
    const told = errorsIn(thrown).map(
      ({ message, where, next }) => `${where?.replace(folder, '')} | ${message} | ${next}`,
    );
    const wanted = [
      /json: line 1 \| .*"page" twice/,
      /^REENACT_COLLECTOR_PORT \| .*Did you mean REENACT_COLLECTOR_HTTP_PORT or REENACT_COLLECTOR_GRPC_PORT\?/,
      /^REENACT_COLLECTOR_FORWARD \| .*not JSON/,
      /json: httpPort \| .*expected number/,
      /json: limits\.tailReadersMx \| .*Did you mean limits\.tailReadersMax\?/,
      /^--log-level: logLevel \| .*"silent"/,
      /json: port \| .*Did you mean httpPort or grpcPort\?/,
      /json: tokensFile \| .*cannot be read/,
      /json: tls\.certificateFile \| .*cannot be read/,
      /json: tls\.keyFile \| .*cannot be read/,
    ];
    for (const one of wanted) expect(told).toContainEqual(expect.stringMatching(one));
    expect(told).toHaveLength(wanted.length);
  });

  it('are not made of one: where a file cannot be read nothing is said of what it may hold', () => {
    const environment = { REENACT_COLLECTOR_HOST: '0.0.0.0' };
    const config = join(folder, 'nowhere.json');
    expect(() => readSettings({ ...none, config }, environment, checkCollectorConfig)).toThrow(
      'There is no such configuration file.',
    );
  });
});

describe('a folder whose name begins as a home directory', () => {
  it.each(['./~/data', '~data', '/srv/~/data'])('may be written as it is: %s', (dataDirectory) => {
    expect(collectorSettings({ ...none, data: dataDirectory }, {}).dataDirectory).toBe(dataDirectory);
  });
});

describe('a key that is there twice', () => {
  it('is refused in the file, with its line', () => {
    const config = file('{\n  "forward": [],\n  "forward": []\n}');
    expect(() => collectorSettings({ ...none, config }, {})).toThrow(
      expect.objectContaining({
        code: 'bad-config',
        message: 'The configuration file has "forward" twice.',
        where: `${config}: line 3`,
      }),
    );
  });

  it('is refused in an object of a variable', () => {
    const retention = '{"graceDays":1,"graceDays":2}';
    expect(() => collectorSettings(none, { REENACT_COLLECTOR_RETENTION: retention })).toThrow(
      'REENACT_COLLECTOR_RETENTION has "graceDays" twice.',
    );
  });
});
