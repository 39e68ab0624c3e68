import type { CanonicalPolicy } from '@reenact/trace-model';
import type { SemconvView } from '../gate/boundary-definition.ts';
import type { GateCall } from '../gate/gate.ts';
import { guarded } from '../host/report-failure.ts';
import { REQUEST_VIEW_CHARACTERS_MAX } from '../limits.ts';
import { membersOf, stringOf } from '../view/members.ts';
import { requestBodyText } from './request-body-text.ts';
import type { CallSettings } from './stainless-library.ts';

/** What a library says of one of its model calls. */
export interface ModelCallFacts {
  readonly kind: 'model' | 'embedding';
  /** Of the boundary; it never changes with the host or platform, so that a recording made through one replays on another. */
  readonly name: string;
  readonly policy: CanonicalPolicy;
  /** The convention's word for what is asked, which begins the span's name. */
  readonly operation: string;
  /** Attributes of the request without its content. */
  readonly slim: () => NonNullable<SemconvView['slim']>;
  /** Messages and the like; asked for only where the request is short enough to be shown. */
  readonly content: () => NonNullable<SemconvView['content']>;
}

/** A model call of a client as the gate takes it: its input is the request's body, byte for byte where it is JSON. */
export function modelGateCall(body: unknown, { capture, sdk }: CallSettings, facts: ModelCallFacts): GateCall {
  const { kind, name, policy, operation } = facts;
  const text = requestBodyText(body);
  const model = stringOf(membersOf(body).model);
  const isReadable = text !== undefined && text.length <= REQUEST_VIEW_CHARACTERS_MAX;
  return {
    boundary: { kind, name, effect: 'read', capture, policy, ...(sdk === undefined ? {} : { sdk }) },
    input: body,
    takesInput: true,
    sendsRequests: true,
    ...(text === undefined ? {} : { inputText: text }),
    span: {
      name: model === undefined ? operation : `${operation} ${model}`,
      kind: 'client',
      slim: guarded('describing a request', facts.slim, {}),
      content: isReadable ? guarded('describing messages', facts.content, {}) : {},
    },
  };
}
