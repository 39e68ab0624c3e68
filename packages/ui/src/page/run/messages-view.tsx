import { LongText } from './long-text.tsx';
import { MediaView } from './media-view.tsx';
import type { Message, MessagePart, ToolResult } from './message.ts';

/** What a tool answered; where it says that it failed, that is said first. */
export function ToolResultView({ result: { json, isError, parts } }: { readonly result: ToolResult }) {
  return (
    <>
      {isError ? (
        <p class="bad">
          <strong>The tool says that it failed.</strong>
        </p>
      ) : null}
      {parts === undefined ? (
        <LongText text={json} />
      ) : (
        parts.map((part, index) => <PartView key={index} part={part} />)
      )}
    </>
  );
}

function PartView({ part }: { readonly part: MessagePart }) {
  switch (part.type) {
    case 'text':
      return <LongText text={part.text} isProse />;
    case 'reasoning':
      return (
        <details>
          <summary>thought</summary>
          <LongText text={part.text} isProse />
        </details>
      );
    case 'call':
      return (
        <div>
          <p>
            calls <strong>{part.name}</strong> <span class="faint id">{part.id}</span>
          </p>
          <LongText text={part.json} />
        </div>
      );
    case 'result':
      return (
        <div>
          <p>
            answer to <span class="id">{part.id ?? 'a call'}</span>
          </p>
          <ToolResultView result={part} />
        </div>
      );
    case 'media':
      return <MediaView media={part} />;
    default:
      return <LongText text={part.json} />;
  }
}

/** What was said, in its order. */
export function MessagesView({ messages }: { readonly messages: readonly Message[] }) {
  return (
    <ol class="messages">
      {messages.map(({ role, parts }, place) => (
        <li key={place} class={`message ${role}`}>
          <span class="role">{role}</span>
          {parts.map((part, index) => (
            <PartView key={index} part={part} />
          ))}
        </li>
      ))}
    </ol>
  );
}
