// `npm run demo`: an incident is recorded, re-enacted, replayed with the fix, and kept as a file. Every claim it prints is
// checked when it is printed; the demo fails where one does not hold.
import type { ReplayReport } from '@reenact/trace-model';
import { ledgerDigest, ledgerRows } from './ledger.ts';
import { chapter, DemoFailure, prove, say, showCommand, showOutput } from './story.ts';
import { setTradingStage, type TradingStage } from './trading-stage.ts';

interface RecordedRun {
  readonly rootSpanId: string;
  readonly answer: string;
}

async function recordTheCrime(stage: TradingStage): Promise<RecordedRun> {
  chapter(1, 'The incident: an agent in production, recorded through OpenTelemetry');
  say('A customer writes: "Please sell $1,000 worth of my ACME shares." ACME trades at $190.');
  showCommand('node --import reenact/register app.ts');
  const recorded = await stage.node(['--import', 'reenact/register', 'app.ts']);
  showOutput(recorded.stdout);
  prove(`the agent ended as if all were well (exit code ${recorded.exitCode})`, recorded.exitCode === 0);
  const [order, ...others] = ledgerRows(stage.folder);
  if (order === undefined)
    throw new DemoFailure(
      'the agent placed an order (today the real model made no mistake; run again with TRADING_LOCAL_PROVIDER=1)',
    );
  prove(
    `the ledger says: ${order.side} ${order.quantity.toLocaleString('en-US')} ${order.symbol}, worth $${(order.quantity * order.price).toLocaleString('en-US')}`,
    others.length === 0,
  );
  say(`The provider answered ${stage.provider.requestCount()} requests. The guardrail order-size let it all through.`);
  showCommand('reenact runs');
  showOutput((await stage.reenact(['runs'])).stdout);
  const { runs } = JSON.parse((await stage.reenact(['runs', '--json'])).stdout) as { runs: { rootSpanId: string }[] };
  const rootSpanId = runs[0]?.rootSpanId ?? '';
  prove('the collector has exactly one run', runs.length === 1);
  showCommand(`reenact show ${rootSpanId}`);
  showOutput((await stage.reenact(['show', rootSpanId])).stdout);
  return { rootSpanId, answer: recorded.stdout };
}

async function reenactIt(stage: TradingStage, run: RecordedRun): Promise<void> {
  chapter(2, 'Re-enacted by span id: the same code, what it received the first time, and nothing else');
  const requests = stage.provider.requestCount();
  const ledger = ledgerDigest(stage.folder);
  showCommand(`reenact replay ${run.rootSpanId} -- node app.ts`);
  const replayed = await stage.reenact(['replay', run.rootSpanId, '--', 'node', 'app.ts']);
  showOutput(replayed.stdout);
  prove('exit code 0: reproduced', replayed.exitCode === 0);
  prove(
    `requests that reached the provider meanwhile: ${stage.provider.requestCount() - requests}`,
    stage.provider.requestCount() === requests,
  );
  prove('not a byte of the ledger changed', ledgerDigest(stage.folder) === ledger);
  prove('the agent printed the same final answer', replayed.stdout.includes(run.answer.trim()));
}

async function replayTheFix(stage: TradingStage, run: RecordedRun): Promise<void> {
  chapter(3, 'The fix, tried against the incident: only the guardrail runs for real');
  say('The fixed check compares what the order is worth with the amount the customer named.');
  const requests = stage.provider.requestCount();
  const ledger = ledgerDigest(stage.folder);
  const parameters = ['replay', run.rootSpanId, '--live', 'guardrail:order-size'];
  const fixed = { ORDER_SIZE_FIX: 'on' };
  showCommand(`ORDER_SIZE_FIX=on reenact ${parameters.join(' ')} -- node app.ts`);
  const replayed = await stage.reenact([...parameters, '--', 'node', 'app.ts'], fixed);
  showOutput(replayed.stdout);
  prove('exit code 1: the run went another way', replayed.exitCode === 1);
  const json = await stage.reenact([...parameters, '--json', '--', 'node', 'app.ts'], fixed);
  const { divergences, outcome } = JSON.parse(json.stdout) as ReplayReport;
  const causes = divergences.filter(({ causedBy }) => causedBy === undefined);
  prove(
    'exactly one cause: the guardrail now answers otherwise',
    causes.length === 1 && causes[0]?.kind === 'output-changed' && causes[0].path.endsWith('guardrail:order-size'),
  );
  const consequences = divergences
    .filter(({ causedBy }) => causedBy !== undefined)
    .map(({ kind, path }) => `${kind} ${path}`);
  prove(
    'its consequences: the next model call is told so, and the order is never placed',
    consequences.length === 2 &&
      consequences.some((text) => /^input-changed .*model:openai\.chat/.test(text)) &&
      consequences.some((text) => /^unconsumed .*tool:place_order$/.test(text)),
  );
  prove('the report says that the final answer is stale, not a result of the fix', outcome?.stale === true);
  prove(
    'still no request to the provider, and the ledger is untouched',
    stage.provider.requestCount() === requests && ledgerDigest(stage.folder) === ledger,
  );
}

async function keepIt(stage: TradingStage, run: RecordedRun): Promise<void> {
  chapter(4, 'Kept: one file for the ticket, replayed with no collector running');
  const file = `${stage.folder}/ticket.otlp.jsonl`;
  showCommand(`reenact export ${run.rootSpanId} --out ticket.otlp.jsonl`);
  const exported = await stage.reenact(['export', run.rootSpanId, '--out', file]);
  showOutput(exported.stdout.replaceAll(file, 'ticket.otlp.jsonl'));
  prove('exported', exported.exitCode === 0);
  await stage.stopCollector();
  say('The collector is stopped now.');
  showCommand('reenact replay ticket.otlp.jsonl -- node app.ts');
  const replayed = await stage.reenact(['replay', file, '--', 'node', 'app.ts']);
  showOutput(replayed.stdout);
  prove('exit code 0: reproduced from the file alone', replayed.exitCode === 0);
}

const stage = await setTradingStage();
const started = Date.now();
try {
  const run = await recordTheCrime(stage);
  await reenactIt(stage, run);
  await replayTheFix(stage, run);
  await keepIt(stage, run);
  console.log(
    `\nAll of it held, in ${((Date.now() - started) / 1000).toFixed(1)} s. The agent: test/scenarios/trading/agent. Next: README.md.`,
  );
} catch (error) {
  console.error(`\n✗ The demo failed. ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await stage.stop();
}
