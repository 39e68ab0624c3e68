import type { OtherSpan } from '@reenact/trace-model/collector-api';
import { useContext } from 'preact/hooks';
import { CollectorContext } from '../reading/collector-context.ts';
import { type Asked, useAnswer } from '../reading/use-answer.ts';
import { readSpanDetails } from './span-details.ts';

/** More of a message would leave no room for the run below it. */
const MESSAGE_CHARACTERS_MAX = 500;

function cut(text: string): string {
  return text.length > MESSAGE_CHARACTERS_MAX ? `${text.slice(0, MESSAGE_CHARACTERS_MAX)} …` : text;
}

function Told({ asked }: { readonly asked: Asked<string> }) {
  if (asked.state === 'waiting') return <span class="faint">failed …</span>;
  if (asked.state === 'failed') return <span class="faint">failed; with what could not be read.</span>;
  const { error, statusMessage } = readSpanDetails(asked.answer);
  if (error === undefined) return <span class="faint">failed, and does not say with what.</span>;
  const { name, message } = error;
  return (
    <>
      <strong class="bad">{cut(message === '' ? name : `${name}: ${message}`)}</strong>
      {statusMessage === undefined || statusMessage === message ? null : (
        <>
          {' '}
          <span class="faint">status</span> <strong class="bad">{cut(statusMessage)}</strong>
        </>
      )}
    </>
  );
}

interface FailedSpanViewProps {
  readonly traceId: string;
  readonly span: OtherSpan;
}

/** With what a span failed that is no crossing: its exception, and its status where that says something else. */
export function FailedSpanView({ traceId, span }: FailedSpanViewProps) {
  const collector = useContext(CollectorContext);
  const { spanId, name } = span;
  const [asked] = useAnswer(`${traceId}/${spanId}`, () => collector.getSpanJson(spanId, { trace: traceId }));
  return (
    <p class="failure">
      <span class="name" title={`span ${spanId}`}>
        {name}
      </span>{' '}
      <Told asked={asked} />
    </p>
  );
}
