import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingPython, type PythonEnvironment, pythonEnvironment } from './python-environment.ts';
import { type PythonStage, reportOf, setPythonStage } from './python-stage.ts';
import { FINAL_ANSWER } from './shop-provider.ts';

const missing = missingPython();
const because = missing === undefined ? '' : ` (left out: ${missing})`;
const calls = ['find_order', 'track_parcel'];

let stage: PythonStage;

beforeAll(async () => {
  if (missing === undefined) stage = await setPythonStage();
});

afterAll(() => stage?.stop());

describe.skipIf(missing !== undefined)(
  `a Python agent recorded by opentelemetry-instrumentation-genai-openai${because}`,
  () => {
    let python: PythonEnvironment;

    beforeAll(() => {
      python = pythonEnvironment('./requirements-genai-openai.txt');
    });

    it.each(['SPAN_ONLY', 'EVENT_ONLY', 'SPAN_AND_EVENT'])(
      'replays with its provider down, content in %s',
      async (capture) => {
        const { run, output } = await stage.record(python, capture);
        expect(output).toBe(`${FINAL_ANSWER}\n`);
        expect(stage.toolsRun()).toEqual(calls);
        const served = await stage.serve(run.traceId, python);
        expect(served.stderr).toContain(FINAL_ANSWER);
        expect(reportOf(served)).toMatchObject({
          verdict: 'reproduced',
          scope: 'model-calls',
          divergences: [],
          counts: { recorded: 3, stubbed: 3, compared: 3, refused: 0, unconsumed: 0 },
          agentExit: 'exit code 0',
        });
        expect(served.exitCode).toBe(0);
        // Tools are the agent's own code: they run again, and the report says that nobody stubbed them.
        expect(stage.toolsRun()).toEqual(calls);
        expect(reportOf(served).notes.join(' ')).toMatch(/Only model calls are answered and compared/);
      },
    );

    it('diverges with the path of a changed prompt', async () => {
      const { run } = await stage.record(python, 'SPAN_ONLY');
      const served = await stage.serve(run.traceId, python, { SUPPORT_INSTRUCTIONS: 'You never help anybody.' });
      const report = reportOf(served);
      expect(served.exitCode).toBe(1);
      expect(report.divergences[0]).toMatchObject({
        kind: 'input-changed',
        path: 'model:openai.chat',
        difference: [
          {
            path: '$.messages[0].parts[0].content',
            recorded: expect.stringContaining('You help customers of a shop.'),
            live: '"You never help anybody."',
          },
        ],
      });
      expect(report.divergences.slice(1).map(({ causedBy }) => causedBy?.divergence)).toEqual(['d1', 'd1']);
    });

    it('is a cold case that names the setting where content was not captured', async () => {
      const { run } = await stage.record(python, 'NO_CONTENT');
      expect(run.replayability.verdict).toBe('cold');
      const served = await stage.serve(run.traceId, python);
      expect(served.exitCode).toBe(2);
      expect(served.stderr).toMatch(/no-input, no-outcome/);
      expect(served.stderr).toMatch(/OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_AND_EVENT/);
      expect(JSON.parse(served.stdout)).toMatchObject({ error: { code: 'cold-case', where: 'model:openai.chat' } });
    });

    it('replays from an exported file that holds what was only in log events', async () => {
      const { run } = await stage.record(python, 'EVENT_ONLY');
      const fixture = join(stage.folder, 'run.jsonl');
      expect((await stage.reenact(['export', run.traceId, '--out', fixture])).exitCode).toBe(0);
      const served = await stage.serve(fixture, python, { REENACT_COLLECTOR: 'http://127.0.0.1:1' });
      expect(reportOf(served)).toMatchObject({ verdict: 'reproduced', divergences: [] });
    });
  },
);

describe.skipIf(missing !== undefined)(
  `a Python agent recorded by opentelemetry-instrumentation-openai-v2${because}`,
  () => {
    it('replays from the message events of older conventions', async () => {
      const python = pythonEnvironment('./requirements-openai-v2.txt');
      const { run } = await stage.record(python, 'true');
      const served = await stage.serve(run.traceId, python);
      expect(served.stderr).toContain(FINAL_ANSWER);
      expect(served.exitCode).toBe(0);
      const report = reportOf(served);
      expect(report).toMatchObject({ verdict: 'reproduced', counts: { stubbed: 3, compared: 3 } });
      expect(report.notes.join('\n')).toContain(
        'Not compared, because the recording does not hold them: stream, stream_options, tools.',
      );
    });
  },
);
