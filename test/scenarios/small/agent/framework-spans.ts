// An agent of a framework that tells of itself by OpenTelemetry, some of its spans active and some not, and no agent() around it.
import { setTimeout as sleep } from 'node:timers/promises';
import { context, type Span, trace } from '@opentelemetry/api';
import { ATTR_GEN_AI_OPERATION_NAME, ATTR_GEN_AI_REQUEST_MODEL } from '@reenact/semconv/gen-ai';
import OpenAI from 'openai';
import { agent } from 'reenact';

const openai = new OpenAI();
const tracer = trace.getTracer('framework');

function begin(operation: string, parent?: Span): Span {
  const around = parent === undefined ? context.active() : trace.setSpan(context.active(), parent);
  const attributes = { [ATTR_GEN_AI_OPERATION_NAME]: operation, [ATTR_GEN_AI_REQUEST_MODEL]: 'gpt-5-mini' };
  return tracer.startSpan(operation, { attributes }, around);
}

/** As Google's ADK begins a span: what it is, it says afterwards. */
function beginUntold(operation: string): Span {
  const span = trace.getTracer('gcp.vertex.agent').startSpan(operation);
  return span.setAttribute(ATTR_GEN_AI_OPERATION_NAME, operation);
}

async function ask(content: string, parent: Span): Promise<string> {
  const span = begin('chat', parent);
  const answer = await openai.chat.completions.create({ model: 'gpt-5-mini', messages: [{ role: 'user', content }] });
  span.end();
  return answer.choices[0]?.message.content ?? '';
}

/** The framework's own tool: it is code of the run, which reads the clock, draws, and calls a model from inside of its span. */
async function lookUp(parent: Span): Promise<string> {
  const span = begin('execute_tool', parent);
  const found = await context.with(trace.setSpan(context.active(), span), async () => {
    await sleep(5);
    const content = `${Date.now()} ${Math.random()}`;
    return openai.chat.completions.create({ model: 'gpt-5-mini', messages: [{ role: 'user', content }] });
  });
  span.end();
  return found.choices[0]?.message.content ?? '';
}

for (const [question, beginAgent] of [
  ['one', begin],
  ['two', beginUntold],
] as const) {
  const span = beginAgent('invoke_agent');
  const found = await lookUp(span);
  process.stdout.write(`${await ask(`${question} of ${found} at ${performance.now()}`, span)}\n`);
  span.end();
}

const trader = agent('trader', async (question: string) => {
  const answer = await openai.chat.completions.create({
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content: `${question} ${Math.random()}` }],
  });
  return answer.choices[0]?.message.content;
});
const workflow = begin('invoke_workflow');
process.stdout.write(`${await context.with(trace.setSpan(context.active(), workflow), () => trader('three'))}\n`);
workflow.end();
