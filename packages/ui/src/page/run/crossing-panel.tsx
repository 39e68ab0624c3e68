import type { CrossingNode } from '@reenact/trace-model/collector-api';
import { costText, counted, humanDuration } from '@reenact/trace-model/words';
import type { ComponentChildren } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { CollectorContext } from '../reading/collector-context.ts';
import { useAnswer } from '../reading/use-answer.ts';
import { AskedFailure } from '../shown/asked-failure.tsx';
import { CopyButton } from '../shown/copy-button.tsx';
import { shownCount } from '../words/shown-count.ts';
import { shownTime } from '../words/shown-time.ts';
import { AskedView, type CallBefore, type OnlyNew } from './asked-view.tsx';
import { ExchangeView } from './exchange-view.tsx';
import { LongText } from './long-text.tsx';
import { MessagesView, ToolResultView } from './messages-view.tsx';
import { readSpanDetails, type ShownPayload, type SpanDetails } from './span-details.ts';
import type { Tokens } from './tokens-inside.ts';

interface SectionProps {
  readonly title: string;
  /** Folded until somebody opens it, where it is more than what most want to see. */
  readonly isFolded?: boolean;
  readonly children: ComponentChildren;
}

function Section({ title, isFolded = false, children }: SectionProps) {
  return (
    <details class="section" open={!isFolded}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

function Payload({ payload }: { readonly payload: ShownPayload }) {
  const isText = payload.format === 'text' || payload.format === 'base64';
  return <LongText text={payload.text} isProse={isText} />;
}

function Pairs({ pairs }: { readonly pairs: SpanDetails['attributes'] }) {
  return (
    <dl class="pairs">
      {pairs.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{value.length > 200 ? <LongText text={value} /> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

function ErrorSection({ error }: { readonly error: SpanDetails['error'] }) {
  if (error === undefined) return null;
  return (
    <Section title="Error">
      <p class="bad">
        <strong>{error.name}</strong>
        {error.message === '' ? null : `: ${error.message}`}
      </p>
      {error.causes.map((cause, place) => (
        <p key={place} class="bad">
          caused by {cause}
        </p>
      ))}
    </Section>
  );
}

/** Where an error came from. Most of a stack is the way there, so it stands behind what went in. */
function ErrorOrigin({ error }: { readonly error: SpanDetails['error'] }) {
  if (error === undefined) return null;
  const { stack, whole } = error;
  return (
    <>
      {stack === undefined ? null : (
        <Section title="Stack of the error">
          <LongText text={stack} />
        </Section>
      )}
      {whole === undefined ? null : (
        <Section title="Exact error, with its causes" isFolded>
          <LongText text={whole} />
        </Section>
      )}
    </>
  );
}

/** What the messages of a model call are seen beside. */
interface CallProps {
  readonly before: CallBefore | undefined;
  readonly onlyNew: OnlyNew;
}

/** What went in and came out, as messages where there are some: the exact payload is folded then. */
function Content({ details, before, onlyNew }: CallProps & { readonly details: SpanDetails }) {
  const { instructions, inputMessages, outputMessages, request, input, output, result, chunks, tools } = details;
  const asked = useMemo(() => [...instructions, ...inputMessages], [details]);
  const isSaid = asked.length > 0 || request !== undefined;
  const hasAnswer = outputMessages.length > 0 || result !== undefined;
  return (
    <>
      {hasAnswer ? (
        <Section title="Answer">
          {outputMessages.length > 0 || result === undefined ? (
            <MessagesView messages={outputMessages} />
          ) : (
            <ToolResultView result={result} />
          )}
        </Section>
      ) : null}
      {asked.length === 0 ? null : (
        <Section title={`Asked (${asked.length})`}>
          <AskedView messages={asked} before={before} onlyNew={onlyNew} />
        </Section>
      )}
      {request === undefined ? null : (
        <Section title={request.title}>
          <LongText text={request.json} />
        </Section>
      )}
      {input === undefined ? null : (
        <Section title={isSaid ? 'Exact input' : 'Input'} isFolded={isSaid}>
          <Payload payload={input} />
        </Section>
      )}
      {output === undefined ? null : (
        <Section title={hasAnswer ? 'Exact output' : 'Output'} isFolded={hasAnswer}>
          <Payload payload={output} />
        </Section>
      )}
      {chunks === undefined ? null : (
        <Section title="Chunks" isFolded={hasAnswer}>
          <Payload payload={chunks} />
        </Section>
      )}
      {tools === undefined ? null : (
        <Section title="Tools on offer" isFolded>
          <LongText text={tools} />
        </Section>
      )}
    </>
  );
}

function Details({ json, ...call }: CallProps & { readonly json: string }) {
  const details = useMemo(() => readSpanDetails(json), [json]);
  return (
    <>
      <ErrorSection error={details.error} />
      <Content details={details} {...call} />
      <ErrorOrigin error={details.error} />
      {details.exchanges.length === 0 ? null : (
        <Section title={`On the wire (${details.exchanges.length})`}>
          {details.exchanges.map((exchange) => (
            <ExchangeView key={exchange.startedAtUnixNano + exchange.request.url} exchange={exchange} />
          ))}
        </Section>
      )}
      <Section title="Attributes" isFolded>
        <Pairs pairs={details.attributes} />
      </Section>
      <Section title="Process" isFolded>
        <Pairs pairs={details.resource} />
      </Section>
    </>
  );
}

function Facts({ node, inside }: { readonly node: CrossingNode; readonly inside: Tokens | undefined }) {
  const { durationMs, model, inputTokens, outputTokens, cost, toolCallId, effect, outcome, errorType, service } = node;
  const facts = [
    errorType === undefined ? outcome : `${outcome} ${errorType}`,
    durationMs === undefined ? 'has not ended' : humanDuration(durationMs),
    `effect ${effect}`,
    ...(service === undefined ? [] : [`in ${service}`]),
    ...(model === undefined ? [] : [model]),
    ...(inputTokens === undefined ? [] : [`${shownCount(inputTokens)}→${shownCount(outputTokens ?? 0)} tokens`]),
    ...(cost === undefined ? [] : [costText(cost)]),
    ...(inside === undefined
      ? []
      : [
          `inside ${counted(inside.calls, 'model call')} of ${shownCount(inside.inputTokens)}→${shownCount(inside.outputTokens)} tokens`,
          ...(inside.cost === undefined ? [] : [`${costText(inside.cost)} inside`]),
        ]),
    ...(toolCallId === undefined ? [] : [`tool call ${toolCallId}`]),
    shownTime(node.startedAt),
  ];
  return <p class="facts">{facts.join(' · ')}</p>;
}

/** The model call of the same loop before this one; the one before it in time may be of another agent. */
function callBefore({ traceId, crossings, node }: PanelProps): CallBefore | undefined {
  if (node.kind !== 'model') return undefined;
  const before = crossings
    .slice(0, crossings.indexOf(node))
    .findLast(({ kind, parentSpanId }) => kind === 'model' && parentSpanId === node.parentSpanId);
  return before === undefined ? undefined : { traceId, spanId: before.spanId };
}

interface PanelProps {
  readonly traceId: string;
  /** All of its run. */
  readonly crossings: readonly CrossingNode[];
  readonly node: CrossingNode;
  /** What models inside of it used. */
  readonly inside: Tokens | undefined;
  readonly onlyNew: OnlyNew;
  /** What leads from here to others of its run. */
  readonly children: ComponentChildren;
}

/** One crossing: what went in, what came out, and all that was said of it. */
export function CrossingPanel(props: PanelProps) {
  const { traceId, crossings, node, inside, onlyNew, children } = props;
  const collector = useContext(CollectorContext);
  const { spanId, outcome } = node;
  // One that has ended meanwhile is read again.
  const [asked, again] = useAnswer(`${traceId}/${spanId}/${outcome}`, () =>
    collector.getSpanJson(spanId, { trace: traceId, conventions: true }),
  );
  const before = useMemo(() => callBefore(props), [crossings, node]);
  return (
    <section class="panel" aria-label={`${node.kind} ${node.name}`}>
      <h2>
        <span class={`kind ${node.kind}`}>{node.kind}</span> {node.name}
      </h2>
      <Facts node={node} inside={inside} />
      <p class="facts">
        <code>{spanId}</code> <CopyButton text={spanId} label="Copy id" />
        {asked.state === 'answered' ? <CopyButton text={asked.answer} label="Copy all of it as JSON" /> : null}
      </p>
      {children}
      {node.flags === undefined ? null : (
        <p class="notice bad">Lacks what its boundary requires: {node.flags.join(', ')}</p>
      )}
      {asked.state === 'waiting' ? <p class="faint">Reading …</p> : null}
      <AskedFailure asked={asked} onAgain={again} />
      {asked.state === 'answered' ? (
        <Details key={spanId} json={asked.answer} before={before} onlyNew={onlyNew} />
      ) : null}
    </section>
  );
}
