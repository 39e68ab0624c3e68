// Spans that a framework or the app itself makes inside a run. How many there are depends on what it had done before.
import { trace } from '@opentelemetry/api';
import { agent, tool } from 'reenact';

const tracer = trace.getTracer('framework');
const pick = tool('pick', async (drawn: { at: number; number: number }) => drawn, { effect: 'read' });

const run = agent('traced', async () => {
  for (let count = Number(process.env.FRAMEWORK_SPANS); count > 0; count -= 1) {
    const step = tracer.startSpan('step', { startTime: new Date(0) });
    tracer.startActiveSpan('inner', { attributes: { count } }, (inner) => {
      inner.addEvent('waiting');
      inner.end();
    });
    // Held up between the reads of a clock: two that are equal count as one.
    await new Promise((resolve) => setTimeout(resolve, 3));
    step.end();
  }
  return pick({ at: Date.now(), number: Math.random() });
});

console.log(JSON.stringify(await run()));
