import type { Attributes, Context } from '@opentelemetry/api';
import { ATTR_GEN_AI_TOOL_CALL_ID } from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_MODE, ATTR_REENACT_REPLAY_ID, ATTR_REENACT_SOURCE_SPAN } from '@reenact/semconv/reenact';
import type { ReplayMark } from '../gate/crossing-facts.ts';
import type { GateCall } from '../gate/gate.ts';
import { definedAttributes } from '../gate/span-attributes.ts';
import { redactAttributes } from '../redaction/places/redact-crossing.ts';
import { scopeOf } from '../run/crossing-scope.ts';
import { identityAttributes } from '../run/identity.ts';

/** Who a call is for, what its boundary says of it, and its id; the boundary wins where both say something. */
function givenAttributes({ span: { slim }, toolCallId }: GateCall, base: Context): Attributes {
  const identity = identityAttributes(base, scopeOf(base)?.run.identity);
  const given = definedAttributes(slim ?? {}, { ...identity });
  if (toolCallId !== undefined) given[ATTR_GEN_AI_TOOL_CALL_ID] = toolCallId;
  return given;
}

/** What the span of a call says from its start, to every exporter of the host: without secrets. `base`: the context it is called in. */
export function startAttributes(call: GateCall, base: Context, replay: ReplayMark | undefined): Attributes {
  const attributes = redactAttributes(givenAttributes(call, base));
  if (replay === undefined) return attributes;
  attributes[ATTR_REENACT_MODE] = replay.mode;
  attributes[ATTR_REENACT_REPLAY_ID] = replay.replayId;
  if (replay.source !== undefined) attributes[ATTR_REENACT_SOURCE_SPAN] = replay.source.spanId;
  return attributes;
}
