import type { Metadata } from '@grpc/grpc-js';
import type { Context } from '@opentelemetry/api';
import { inboundContext, POSITION_MEMBER, withoutPositionMember } from '@reenact/instrumentation';

const getter = {
  get: (metadata: Metadata, key: string): string[] => metadata.get(key).map(String),
  keys: (metadata: Metadata): string[] => Object.keys(metadata.getMap()),
};

/** Takes the position out of what the host sees of a call: whoever forwards its metadata forwards none. */
function hidePosition(metadata: Metadata): void {
  const given = metadata.get('baggage').map(String);
  if (!given.some((value) => value.includes(POSITION_MEMBER))) return;
  metadata.remove('baggage');
  for (const value of given) {
    const left = withoutPositionMember(value);
    if (left !== undefined) metadata.add('baggage', left);
  }
}

/** Where the run of a call stands. The position of a replay is taken out of what the host sees. */
export function callContext(metadata: Metadata): Context {
  const baggage = metadata.get('baggage').map(String);
  const context = inboundContext({ carrier: metadata, getter, headers: metadata.getMap(), baggage });
  hidePosition(metadata);
  return context;
}
