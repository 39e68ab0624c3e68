import { isSwitchedOffByUs } from '../host/is-switched-off.ts';
import { misspeltVariables } from './reenact-variables.ts';
import { reportRuntime } from './runtime-trap.ts';
import { trapLog } from './trap-log.ts';
import { reportUnusableValues } from './variable-values.ts';

const limits = [
  'OTEL_ATTRIBUTE_COUNT_LIMIT',
  'OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT',
  'OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT',
  'OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT',
  'OTEL_SPAN_ATTRIBUTE_PER_EVENT_COUNT_LIMIT',
  'OTEL_SPAN_ATTRIBUTE_PER_LINK_COUNT_LIMIT',
  'OTEL_SPAN_EVENT_COUNT_LIMIT',
  'OTEL_SPAN_LINK_COUNT_LIMIT',
];
const dropping = /^(?:parentbased_)?(?:always_off|traceidratio|jaeger_remote|xray)$/;

/** Reports limits of the environment: all in one, for a process tells of each kind once, and whoever unset the first would be told of the next. */
export function reportLimits(environment: NodeJS.ProcessEnv): void {
  const value = (name: string): string => environment[name]?.trim() ?? '';
  const set = limits.filter((name) => value(name) !== '').map((name) => `${name}=${value(name)}`);
  if (set.length > 0) trapLog.report('limits-set', set.join(', '));
}

/** Reports variables of Reenact that nothing reads, or that have a value which cannot be used, and the runtime of the process. */
export function reportOwnSettings(environment: NodeJS.ProcessEnv, versions = process.versions): void {
  for (const { name, meant } of misspeltVariables(environment))
    trapLog.report('unknown-variable', `${name}, for ${meant}`);
  reportUnusableValues(environment);
  reportRuntime(versions);
}

/** Reports the traps that the environment and the runtime of a process are, without having run anything. */
export function reportSettingTraps(environment: NodeJS.ProcessEnv, versions = process.versions): void {
  const value = (name: string): string => environment[name]?.trim() ?? '';
  reportLimits(environment);
  const sampler = value('OTEL_TRACES_SAMPLER').toLowerCase();
  if (dropping.test(sampler)) trapLog.report('sampler-drops', `OTEL_TRACES_SAMPLER=${sampler}`);
  if (isSwitchedOffByUs(environment)) trapLog.report('recording-off', `REENACT_DISABLED=${value('REENACT_DISABLED')}`);
  if (value('OTEL_SDK_DISABLED').toLowerCase() === 'true') trapLog.report('recording-off', 'OTEL_SDK_DISABLED=true');
  reportOwnSettings(environment, versions);
}
