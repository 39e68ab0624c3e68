import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const installed = fileURLToPath(new URL('../../node_modules/@opentelemetry', import.meta.url));
const older = '1.8.0';

const vendor = `
const { trace } = require('@opentelemetry/api');
const { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-node');
const exporter = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
exports.within = (name, work) => trace.getTracer('vendor').startActiveSpan(name, async (span) => {
  try { return await work(); } finally { span.end(); }
});
exports.seen = () => exporter.getFinishedSpans().map(({ name }) => name);
`;

const script = 'beside-older-api.ts';

let folder: string;
let stage: Stage;

/** A vendor's package with an SDK and an API of its own, as npm puts them beside an app that has a later API. */
function installVendor(): void {
  const own = join(folder, 'node_modules/@opentelemetry');
  const needed = ['api', 'context-async-hooks', 'core', 'resources', 'sdk-trace', 'sdk-trace-base', 'sdk-trace-node'];
  for (const name of [...needed, 'semantic-conventions'])
    cpSync(join(installed, name), join(own, name), { recursive: true, dereference: true });
  const manifest = JSON.parse(readFileSync(join(own, 'api/package.json'), 'utf8')) as object;
  writeFileSync(join(own, 'api/package.json'), JSON.stringify({ ...manifest, version: older }));
  writeFileSync(join(own, 'api/build/src/version.js'), `exports.VERSION = '${older}';`);
  writeFileSync(join(folder, 'vendor.cjs'), vendor);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-older-api-'));
  installVendor();
  stage = await setSmallStage({ VENDOR: pathToFileURL(join(folder, 'vendor.cjs')).href });
});

afterAll(async () => {
  await stage.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('an SDK with an older OpenTelemetry API than ours is set up as without us, and sees its spans and those of the run', async () => {
  const free = await stage.node([script]);
  expect(free).toMatchObject({ stdout: 'in the run,around the run\n', stderr: '' });
  const { run, recorded } = await recordRun(stage, script);
  expect(recorded).toMatchObject({ exitCode: 0, stderr: '' });
  expect(recorded.stdout.trim().split(',')).toEqual(expect.arrayContaining(['in the run', 'around the run']));
  expect(run).toMatchObject({ crossingCount: 2, replayability: { verdict: 'full', missing: [] } });
  const { report } = await replayAsJson(stage, run.rootSpanId, script);
  expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
});
