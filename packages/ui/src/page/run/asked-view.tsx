import { counted } from '@reenact/trace-model/words';
import { useContext, useMemo, useState } from 'preact/hooks';
import { CollectorContext } from '../reading/collector-context.ts';
import { useAnswer } from '../reading/use-answer.ts';
import { AskedFailure } from '../shown/asked-failure.tsx';
import { ChangedWords } from '../shown/changed-words.tsx';
import { askedSince } from './asked-since.ts';
import type { Message } from './message.ts';
import { MessagesView } from './messages-view.tsx';
import { readSpanDetails } from './span-details.ts';

/** Of more, the earlier ones are folded: why a model answered as it did is mostly told by what was said last. */
const MESSAGES_SHOWN_MAX = 12;

/** Where the model call before one is. */
export interface CallBefore {
  readonly traceId: string;
  readonly spanId: string;
}

function Folded({ words, messages }: { readonly words: string; readonly messages: readonly Message[] }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="folded" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{words}</summary>
      {isOpen ? <MessagesView messages={messages} /> : null}
    </details>
  );
}

function All({ messages }: { readonly messages: readonly Message[] }) {
  if (messages.length <= MESSAGES_SHOWN_MAX) return <MessagesView messages={messages} />;
  const at = messages.length - MESSAGES_SHOWN_MAX;
  return (
    <>
      <Folded words={`${counted(at, 'message')} before these`} messages={messages.slice(0, at)} />
      <MessagesView messages={messages.slice(at)} />
    </>
  );
}

interface SinceProps {
  readonly before: CallBefore;
  readonly messages: readonly Message[];
}

/** What is asked otherwise than by the call before. */
function Since({ before, messages }: SinceProps) {
  const { traceId, spanId } = before;
  const collector = useContext(CollectorContext);
  const [asked, again] = useAnswer(`${traceId}/${spanId}`, () =>
    collector.getSpanJson(spanId, { trace: traceId, conventions: true }),
  );
  const answer = asked.state === 'answered' ? asked.answer : undefined;
  const since = useMemo(() => {
    if (answer === undefined) return undefined;
    const { instructions, inputMessages } = readSpanDetails(answer);
    return askedSince([...instructions, ...inputMessages], messages);
  }, [answer, messages]);
  if (since === undefined)
    return asked.state === 'waiting' ? (
      <p class="faint">Reading the call before …</p>
    ) : (
      <AskedFailure asked={asked} onAgain={again} />
    );
  const { same, added, removed, changed } = since;
  return (
    <>
      <p class="faint" role="status">
        {counted(same, 'message')} as in the model call before it
        {added.length + removed.length + changed.length === 0 ? ', and no other.' : '.'}
      </p>
      {changed.length === 0 ? null : (
        <>
          <p class="faint">In other words than in that call:</p>
          <ol class="messages">
            {changed.map(({ role, changes }, place) => (
              <li key={place} class={`message ${role}`}>
                <span class="role">{role}</span>
                <div class="text">
                  <pre class="prose">
                    <ChangedWords changes={changes} />
                  </pre>
                </div>
              </li>
            ))}
          </ol>
        </>
      )}
      {removed.length === 0 ? null : (
        <Folded words={`${counted(removed.length, 'message')} of that call not asked any more`} messages={removed} />
      )}
      {added.length === 0 ? null : <MessagesView messages={added} />}
    </>
  );
}

/** Whether only what is new is shown; it stays chosen from one call to the next. */
export interface OnlyNew {
  readonly isOn: boolean;
  readonly choose: (isOn: boolean) => void;
}

interface AskedProps {
  readonly messages: readonly Message[];
  readonly before: CallBefore | undefined;
  readonly onlyNew: OnlyNew;
}

/** What a model was asked: each call of an agent has the whole conversation, and of that only some is new. */
export function AskedView({ messages, before, onlyNew: { isOn, choose } }: AskedProps) {
  if (before === undefined) return <All messages={messages} />;
  return (
    <>
      <label class="faint">
        <input type="checkbox" checked={isOn} onChange={(event) => choose(event.currentTarget.checked)} /> only what is
        new since the model call before it
      </label>
      {isOn ? <Since before={before} messages={messages} /> : <All messages={messages} />}
    </>
  );
}
