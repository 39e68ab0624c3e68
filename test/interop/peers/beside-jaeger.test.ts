import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReenact } from '../../bench/ingest-servers.ts';
import { makeSpan, postSpans, textAttributes, traceIdOf } from '../../conformance/testbed.ts';
import { startJaeger } from './jaeger-peer.ts';
import { peerPath, peerVersion } from './peer.ts';
import { eventually, freePort, peerFolder, startPeer } from './running-peer.ts';

const page = new URL('../../../docs/beside-jaeger.md', import.meta.url).pathname;
const otelcol = peerPath('otelcol');
const jaegerProgram = peerPath('jaeger');

/** The configuration that the page shows, with the addresses and the folder of this machine put in. */
function shownConfiguration(replacements: Readonly<Record<string, string>>): string {
  const [, shown = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync(page, 'utf8')) ?? [];
  return Object.entries(replacements).reduce((text, [there, here]) => {
    expect(text.split(there), there).toHaveLength(2);
    return text.replace(there, here);
  }, shown);
}

describe('the exporters of docs/beside-jaeger.md', () => {
  it('give up nothing, however long a side is away: unless told so, the OpenTelemetry Collector does after five minutes', () => {
    const lines = shownConfiguration({}).split('\n');
    const said = (setting: string) => lines.filter((line) => line.trim() === setting).length;
    expect(said('sending_queue: { storage: file_storage, queue_size: 100000 }')).toBe(2);
    expect(said('retry_on_failure: { max_elapsed_time: 0 }')).toBe(2);
  });
});

describe.skipIf(otelcol === undefined || jaegerProgram === undefined)(
  `the configuration of docs/beside-jaeger.md in a real OpenTelemetry Collector (${peerVersion('otelcol')})`,
  () => {
    const stops: (() => unknown)[] = [];
    const addresses = { http: '', grpc: '' };
    beforeAll(async () => {
      addresses.http = `127.0.0.1:${await freePort()}`;
      addresses.grpc = `127.0.0.1:${await freePort()}`;
    });
    afterAll(async () => {
      for (const stop of stops.reverse()) await stop();
    });

    it('gives us everything, and Jaeger the same span without its payload', async () => {
      const [folder, jaegerFolder] = [peerFolder(), peerFolder()];
      stops.push(folder.remove, jaegerFolder.remove);
      const jaeger = await startJaeger(jaegerProgram ?? '', jaegerFolder);
      stops.push(jaeger.stop);
      const collector = await startReenact();
      stops.push(collector.stop);
      const queue = join(folder.path, 'queue');
      const configuration = shownConfiguration({
        '/var/lib/otelcol/queue': queue,
        '127.0.0.1:4317': addresses.grpc,
        '127.0.0.1:4318': addresses.http,
        'jaeger:4317': jaeger.otlpGrpc,
        'http://reenact:4318': collector.httpUrl,
      });
      const environment = { ...process.env, REENACT_TOKEN: 'a-token' };
      const peer = await startPeer(otelcol ?? '', folder, configuration, `http://${addresses.http}/`, environment);
      stops.push(peer.stop);
      const attributes = textAttributes({ 'http.route': '/buy', 'reenact.input': '{"shares":1000}' });
      const sent = await postSpans(`http://${addresses.http}`, [makeSpan({ traceId: traceIdOf(7), attributes })]);
      expect(sent.status).toBe(200);
      const [shown] = await jaeger.trace(traceIdOf(7), 1);
      const keys = shown?.tags.map(({ key }) => key) ?? [];
      expect(keys).toContain('http.route');
      expect(keys).not.toContain('reenact.input');
      const kept = await eventually(
        async () => {
          const response = await fetch(`${collector.httpUrl}/api/v1/recordings/${traceIdOf(7)}`);
          return response.status === 200 ? response.text() : undefined;
        },
        () => peer.printed(),
      );
      expect(kept).toContain('{\\"shares\\":1000}');
    });
  },
);
