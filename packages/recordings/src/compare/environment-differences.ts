import type { PlainValue } from '@reenact/otlp';
import {
  ATTR_CLOUD_REGION,
  ATTR_DEPLOYMENT_ENVIRONMENT_NAME,
  ATTR_PROCESS_PARENT_PID,
  ATTR_PROCESS_PID,
  ATTR_PROCESS_RUNTIME_VERSION,
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
  ATTR_VCS_REF_HEAD_NAME,
  ATTR_VCS_REF_HEAD_REVISION,
} from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_OPENAI_RESPONSE_SERVICE_TIER,
  ATTR_OPENAI_RESPONSE_SYSTEM_FINGERPRINT,
} from '@reenact/semconv/gen-ai';
import {
  ATTR_REENACT_ENVIRONMENT_DIRTY,
  ATTR_REENACT_ENVIRONMENT_LOCALE,
  ATTR_REENACT_ENVIRONMENT_LOCKFILE_DIGEST,
  ATTR_REENACT_ENVIRONMENT_TIME_ZONE,
} from '@reenact/semconv/reenact';
import { type Crossing, canonicalJson, type Recording } from '@reenact/trace-model';
import type { AlignedNode } from './aligned-node.ts';

/** One thing the two runs were made of differently. A side is absent where its recording does not say it. */
export interface EnvironmentDifference {
  readonly name: string;
  readonly left?: string;
  readonly right?: string;
  /** Facts of single crossings: how many pairs differ in this way, and the first of them. */
  readonly crossings?: number;
  readonly path?: string;
}

/** Facts of a process, by the words people use for them, in the order in which they are told. */
const words: ReadonlyMap<string, string> = new Map([
  [ATTR_SERVICE_NAME, 'service'],
  [ATTR_SERVICE_VERSION, 'service version'],
  [ATTR_VCS_REF_HEAD_REVISION, 'commit'],
  [ATTR_VCS_REF_HEAD_NAME, 'branch'],
  [ATTR_REENACT_ENVIRONMENT_DIRTY, 'uncommitted changes'],
  [ATTR_REENACT_ENVIRONMENT_LOCKFILE_DIGEST, 'lock file'],
  [ATTR_DEPLOYMENT_ENVIRONMENT_NAME, 'deployment'],
  [ATTR_CLOUD_REGION, 'region'],
  [ATTR_PROCESS_RUNTIME_VERSION, 'runtime version'],
  [ATTR_REENACT_ENVIRONMENT_TIME_ZONE, 'time zone'],
  [ATTR_REENACT_ENVIRONMENT_LOCALE, 'locale'],
]);

/** Another value in every process, so a difference says nothing. */
const perProcess: ReadonlySet<string> = new Set([ATTR_PROCESS_PID, ATTR_PROCESS_PARENT_PID, ATTR_SERVICE_INSTANCE_ID]);

const modelFacts: readonly (readonly [name: string, key: string])[] = [
  ['model served', ATTR_GEN_AI_RESPONSE_MODEL],
  ['system fingerprint', ATTR_OPENAI_RESPONSE_SYSTEM_FINGERPRINT],
  ['service tier', ATTR_OPENAI_RESPONSE_SERVICE_TIER],
];

function textOf(value: PlainValue | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : canonicalJson(value);
}

function sides(left: string | undefined, right: string | undefined): { left?: string; right?: string } {
  return { ...(left === undefined ? {} : { left }), ...(right === undefined ? {} : { right }) };
}

function processDifferences(left: Recording, right: Recording): EnvironmentDifference[] {
  const keys = new Set([...words.keys(), ...[...left.resource.keys(), ...right.resource.keys()].sort()]);
  return [...keys].flatMap((key) => {
    const [first, second] = [textOf(left.resource.get(key)), textOf(right.resource.get(key))];
    if (first === second || perProcess.has(key)) return [];
    return [{ name: words.get(key) ?? key, ...sides(first, second) }];
  });
}

function factsOf({ attributes, sdk }: Crossing): [name: string, value: string | undefined][] {
  return [
    ...modelFacts.map(([name, key]): [string, string | undefined] => [name, textOf(attributes.get(key))]),
    ['client library', sdk],
  ];
}

function crossingDifferences(nodes: readonly AlignedNode[]): EnvironmentDifference[] {
  const found = new Map<string, { name: string; left?: string; right?: string; crossings: number; path: string }>();
  for (const { left, right } of nodes) {
    if (left === undefined || right === undefined) continue;
    const rightFacts = new Map(factsOf(right.crossing));
    for (const [name, first] of factsOf(left.crossing)) {
      const second = rightFacts.get(name);
      if (first === second) continue;
      const key = JSON.stringify([name, first, second]);
      const known = found.get(key) ?? { name, ...sides(first, second), crossings: 0, path: left.crossing.path };
      known.crossings += 1;
      found.set(key, known);
    }
  }
  return [...found.values()];
}

/** What two runs were made of differently: the processes first, then what served the calls that both made. */
export function environmentDifferences(
  left: Recording,
  right: Recording,
  nodes: readonly AlignedNode[],
): EnvironmentDifference[] {
  return [...processDifferences(left, right), ...crossingDifferences(nodes)];
}
