/**
 * Writes what real instrumentations of other vocabularies send, as fixtures, into the testdata of each dialect: `node
 * test/scenarios/dialects/write-testdata.ts <name> <interpreter>`, with a build and a Python that has the packages of one of
 * `test/interop/python/requirements-*.txt`. For older AI SDKs AI_SDK_FOLDER says where they are installed, and PACKAGES_FOLDER for what
 * `packages/` lists: `npm install --ignore-scripts --legacy-peer-deps --prefix <folder> $(cat packages/<name>.txt)`.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFixture, writeFixture } from '@reenact/trace-model/reading';
import { runCommand } from '../run-command.ts';
import { setStage } from '../stage.ts';
import { startOrderProvider } from './order-provider.ts';

const agentFolder = new URL('agent', import.meta.url).pathname;
const dialectsFolder = new URL('../../../packages/dialects/src/', import.meta.url).pathname;

/** What is recorded: by which agent, as what. */
const agents: Readonly<Record<string, { readonly dialect: string; readonly file: string }>> = {
  'openai-node': { dialect: 'openinference', file: 'openai-agent.mjs' },
  'openai-python': { dialect: 'openinference', file: 'openai_agent.py' },
  'langchain-python': { dialect: 'openinference', file: 'langchain_agent.py' },
  'langchain-node': { dialect: 'openinference', file: 'langchain-agent.mjs' },
  'traceloop-langchain-node': { dialect: 'openllmetry', file: 'langchain-agent.mjs' },
  'langfuse-langchain-node': { dialect: 'langfuse', file: 'langchain-agent.mjs' },
  'langfuse-node': { dialect: 'langfuse', file: 'langfuse-agent.mjs' },
  'mastra-node': { dialect: 'mastra', file: 'mastra-agent.mjs' },
  'pydantic-ai-python': { dialect: 'pydantic-ai', file: 'pydantic_agent.py' },
  'traceloop-node': { dialect: 'openllmetry', file: 'openai-agent.mjs' },
  'traceloop-python-2025': { dialect: 'openllmetry', file: 'openai_agent.py' },
  'traceloop-python': { dialect: 'openllmetry', file: 'openai_agent.py' },
  'ai-4': { dialect: 'ai-sdk', file: 'ai-sdk-older-agent.mjs' },
  'ai-6': { dialect: 'ai-sdk', file: 'ai-sdk-older-agent.mjs' },
  'ai-7': { dialect: 'ai-sdk', file: 'ai-sdk-agent.mjs' },
};

const [name = '', ...interpreter] = process.argv.slice(2);
const agent = agents[name];
if (agent === undefined) throw new Error(`There is no agent ${name}. There are ${Object.keys(agents).join(', ')}.`);
const { dialect, file } = agent;
const stage = await setStage({ agentFolder, environment: () => ({}) });
const provider = await startOrderProvider();
try {
  const { stdout, stderr, exitCode } = await runCommand(
    [...(interpreter.length === 0 ? [process.execPath] : interpreter), file],
    {
      cwd: agentFolder,
      environment: {
        PATH: process.env.PATH,
        AI_SDK_FOLDER: process.env.AI_SDK_FOLDER,
        PACKAGES_FOLDER: process.env.PACKAGES_FOLDER,
        PYTHONIOENCODING: 'utf-8',
        DIALECT: dialect,
        OPENAI_BASE_URL: provider.baseUrl,
        OPENAI_API_KEY: 'local',
        OTEL_SERVICE_NAME: 'support',
        // What is known of the machine is nobody's business.
        OTEL_NODE_RESOURCE_DETECTORS: 'env',
        OTEL_EXPORTER_OTLP_ENDPOINT: stage.collectorUrl,
      },
    },
  );
  process.stdout.write(`${stdout}${stderr}`);
  const { runs } = JSON.parse((await stage.reenact(['runs', '--json'])).stdout) as { runs: { traceId: string }[] };
  const [run, ...others] = runs;
  if (exitCode !== 0 || run === undefined || others.length > 0)
    throw new Error(`${runs.length} runs, exit code ${exitCode}`);
  const folder = `${dialectsFolder}${dialect}/testdata`;
  mkdirSync(folder, { recursive: true });
  rmSync(`${folder}/${name}.jsonl`, { force: true });
  const exported = await stage.reenact(['export', run.traceId, '--out', `${folder}/${name}.jsonl`]);
  process.stdout.write(`${exported.stdout}${exported.stderr}`);
  const data = JSON.stringify(readFixture(readFileSync(`${folder}/${name}.jsonl`, 'utf8')));
  // Stack traces name folders of the machine that wrote them.
  const cleaned = data.replaceAll(/\/(?:[\w.@+-]+\/)+(?=[\w.@+-]+\.(?:py|[cm]?[jt]s)\b)/g, '/app/');
  writeFileSync(`${folder}/${name}.jsonl`, writeFixture(JSON.parse(cleaned)));
} finally {
  await provider.stop();
  await stage.stop();
}
