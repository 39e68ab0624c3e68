import type { Crossing, DiffEntry, Exchange, JsonDiff } from '@reenact/trace-model';
import { protocolOf } from '../protocols/protocol-of.ts';
import { answerBody } from '../protocols/response-body.ts';

/** Who answered a model call, as far as its last exchange says. */
function servedBy(exchanges: readonly Exchange[]): Readonly<Record<string, unknown>> {
  const last = exchanges.at(-1);
  const body = last === undefined ? undefined : answerBody(last);
  const served = body === undefined ? undefined : protocolOf(last)?.servedModel(body);
  const url = last?.request.url ?? '';
  return { ...served, host: URL.canParse(url) ? new URL(url).host : undefined };
}

const names: Readonly<Record<string, string>> = {
  model: '$.model',
  systemFingerprint: '$.system_fingerprint',
  serviceTier: '$.service_tier',
  host: '$.host',
};

function text(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

/**
 * How the model that answered live differs from the one that was recorded: served model, system fingerprint, service tier
 * and host. Undefined where it is the same, or not known.
 */
export function servedModelDifference(recorded: Crossing, live: readonly Exchange[]): JsonDiff | undefined {
  if (recorded.kind !== 'model' || recorded.exchanges.length === 0 || live.length === 0) return undefined;
  const [before, now] = [servedBy(recorded.exchanges), servedBy(live)];
  const entries = Object.entries(names).flatMap(([name, path]): DiffEntry[] => {
    const [was, is] = [text(before[name]), text(now[name])];
    if (was === is) return [];
    return [{ path, ...(was === undefined ? {} : { recorded: was }), ...(is === undefined ? {} : { live: is }) }];
  });
  return entries.length === 0 ? undefined : { entries, total: entries.length };
}
