import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const installed = fileURLToPath(new URL('../../node_modules/@opentelemetry', import.meta.url));
const older = '1.8.0';

const spans = `
const { trace } = require('@opentelemetry/api');
const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-base');
const exporter = new InMemorySpanExporter();
const spanProcessors = [new SimpleSpanProcessor(exporter)];
exports.within = (name, work) => trace.getTracer('vendor').startActiveSpan(name, async (span) => {
  try { return await work(); } finally { span.end(); }
});
exports.seen = () => exporter.getFinishedSpans().map(({ name }) => name);
`;

const vendors = {
  registering: `${spans}
const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');
new NodeTracerProvider({ spanProcessors }).register();
`,
  // As Sentry's SDK: where it is refused, it puts a registry of its own in the place of that which is there, without contexts.
  replacing: `${spans}
const provider = new BasicTracerProvider({ spanProcessors });
if (!trace.setGlobalTracerProvider(provider)) {
  delete globalThis[Symbol.for('opentelemetry.js.api.1')];
  trace.setGlobalTracerProvider(provider);
}
`,
} as const;

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
  for (const [name, code] of Object.entries(vendors)) writeFileSync(join(folder, `${name}.cjs`), code);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-older-api-'));
  installVendor();
  stage = await setSmallStage();
});

afterAll(async () => {
  await stage.stop();
  rmSync(folder, { recursive: true, force: true });
});

it.each(Object.keys(vendors))(
  'an SDK with an older OpenTelemetry API than ours is set up as without us, and sees its spans and those of the run: %s',
  async (vendor) => {
    const environment = { VENDOR: pathToFileURL(join(folder, `${vendor}.cjs`)).href };
    const free = await stage.node([script], { ...environment, REENACT_DISABLED: '1' });
    expect(free).toMatchObject({ stdout: 'in the run,around the run\n', stderr: '' });
    const { run, recorded } = await recordRun(stage, script, environment);
    expect(recorded).toMatchObject({ exitCode: 0, stderr: '' });
    expect(recorded.stdout.trim().split(',')).toEqual(expect.arrayContaining(['in the run', 'around the run']));
    expect(run).toMatchObject({ crossingCount: 2, replayability: { verdict: 'full', missing: [] } });
    const { report } = await replayAsJson(stage, run.rootSpanId, script, { environment });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
  },
);
