import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ORDER_ANSWER, startOrderProvider } from '../../scenarios/dialects/order-provider.ts';
import { runCommand } from '../../scenarios/run-command.ts';
import { type Stage, setStage } from '../../scenarios/stage.ts';
import { missingPython, pythonEnvironment } from './python-environment.ts';

const missing = missingPython();
const because = missing === undefined ? '' : ` (left out: ${missing})`;
const agentFolder = new URL('../../scenarios/dialects/agent', import.meta.url).pathname;

let stage: Stage;

beforeAll(async () => {
  if (missing === undefined) stage = await setStage({ agentFolder, environment: () => ({}) });
});

afterAll(() => stage?.stop());

interface Recorded {
  readonly traceId: string;
  readonly inputTokens: number;
  readonly models: readonly string[];
}

async function runsOf(...filters: string[]): Promise<Recorded[]> {
  const { stdout } = await stage.reenact(['runs', '--json', ...filters]);
  return (JSON.parse(stdout) as { runs: Recorded[] }).runs;
}

/** Runs a Python agent with the packages of a requirements file, and gives the run that it left. */
async function record(requirements: string, file: string, dialect: string): Promise<Recorded> {
  const { python } = pythonEnvironment(requirements);
  const known = new Set((await runsOf()).map(({ traceId }) => traceId));
  const provider = await startOrderProvider();
  const { stdout, stderr } = await runCommand([python, file], {
    cwd: agentFolder,
    environment: {
      PATH: process.env.PATH,
      PYTHONIOENCODING: 'utf-8',
      DIALECT: dialect,
      OPENAI_BASE_URL: provider.baseUrl,
      OPENAI_API_KEY: 'local',
      OTEL_SERVICE_NAME: 'support',
      OTEL_EXPORTER_OTLP_ENDPOINT: stage.collectorUrl,
    },
  }).finally(() => provider.stop());
  expect(stdout, stderr).toContain(ORDER_ANSWER);
  const run = (await runsOf()).find(({ traceId }) => !known.has(traceId));
  if (run === undefined) throw new Error(`nothing was recorded: ${stderr}`);
  return run;
}

describe.skipIf(missing !== undefined)(`a Python agent recorded by another vendor's instrumentation${because}`, () => {
  it.each([
    ['./requirements-openinference.txt', 'openai_agent.py', 'openinference', 280],
    ['./requirements-openinference.txt', 'langchain_agent.py', 'openinference', 120],
    ['./requirements-openllmetry.txt', 'openai_agent.py', 'openllmetry', 280],
    ['./requirements-openllmetry-2025.txt', 'openai_agent.py', 'openllmetry', 120],
    ['./requirements-pydantic-ai.txt', 'pydantic_agent.py', 'pydantic-ai', 280],
  ])(
    '%s: %s is found by its model, its tokens count once, and it shows what was said',
    async (requirements, file, dialect, tokens) => {
      const { traceId, inputTokens } = await record(requirements, file, dialect);
      expect(inputTokens).toBe(tokens);
      expect((await runsOf('--model', 'gpt-4o-mini')).map((run) => run.traceId)).toContain(traceId);
      const { stdout } = await stage.reenact(['show', traceId]);
      expect(stdout).toContain('user: Where is my order 4711?');
      expect(stdout).toContain(ORDER_ANSWER);
    },
  );
});
