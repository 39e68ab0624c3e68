import { basename } from 'node:path';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { redactAttributes, redactionRuleIds, telemetryHosts } from '@reenact/instrumentation';
import {
  ATTR_CLOUD_REGION,
  ATTR_PROCESS_COMMAND_ARGS,
  ATTR_PROCESS_PARENT_PID,
  ATTR_PROCESS_PID,
  ATTR_PROCESS_RUNTIME_NAME,
  ATTR_PROCESS_RUNTIME_VERSION,
  ATTR_PROCESS_WORKING_DIRECTORY,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
} from '@reenact/semconv/core';
import {
  ATTR_REENACT_ENVIRONMENT_LOCALE,
  ATTR_REENACT_ENVIRONMENT_TIME_ZONE,
  ATTR_REENACT_RECORDER_VERSION,
  ATTR_REENACT_REDACTION_RULES,
  ATTR_REENACT_TELEMETRY_HOSTS,
} from '@reenact/semconv/reenact';
import { VERSION } from '../version.ts';
import { codeFacts, findUpwards } from './code-facts.ts';
import { readText } from './git-folder.ts';
import { typedCommand } from './typed-command.ts';

/** Where the platforms say in which region a process runs. */
const regionVariables = ['AWS_REGION', 'FUNCTION_REGION', 'FLY_REGION', 'VERCEL_REGION', 'REGION_NAME'];

type ResourceFact = string | number | boolean | string[];

function present(facts: Record<string, ResourceFact | undefined>): Record<string, ResourceFact> {
  return Object.fromEntries(
    Object.entries(facts).filter((entry): entry is [string, ResourceFact] => entry[1] !== undefined),
  );
}

/**
 * What the process ran in, once, for the resource of every span. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win over
 * what is found here. Never throws: a fact that cannot be read is left out.
 */
export function detectEnvironment(environment: NodeJS.ProcessEnv, folder = process.cwd()): Resource {
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
  const manifestPath = findUpwards(folder, ['package.json']);
  const manifest = manifestPath === undefined ? undefined : readText(manifestPath);
  const facts = present({
    [ATTR_SERVICE_NAME]: manifestText(manifest, 'name') ?? unknownService(),
    [ATTR_PROCESS_PID]: process.pid,
    [ATTR_PROCESS_PARENT_PID]: process.ppid,
    [ATTR_PROCESS_COMMAND_ARGS]: typedCommand(),
    [ATTR_PROCESS_WORKING_DIRECTORY]: folder,
    [ATTR_PROCESS_RUNTIME_NAME]: 'nodejs',
    [ATTR_PROCESS_RUNTIME_VERSION]: process.versions.node,
    [ATTR_REENACT_RECORDER_VERSION]: VERSION,
    [ATTR_REENACT_REDACTION_RULES]: [...redactionRuleIds()],
    [ATTR_REENACT_TELEMETRY_HOSTS]: telemetryHosts.length === 0 ? undefined : [...telemetryHosts],
    [ATTR_REENACT_ENVIRONMENT_TIME_ZONE]: timeZone,
    [ATTR_REENACT_ENVIRONMENT_LOCALE]: locale,
    [ATTR_CLOUD_REGION]: regionVariables.map((name) => environment[name]).find((region) => region !== undefined),
    ...codeFacts(folder),
  });
  const named =
    environment.OTEL_SERVICE_NAME === undefined ? {} : { [ATTR_SERVICE_NAME]: environment.OTEL_SERVICE_NAME };
  const merged = defaultResource()
    .merge(resourceFromAttributes(facts))
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(resourceFromAttributes(named));
  // Of a service that is called otherwise, as one of several in a repository, another package says the version.
  const isOfManifest = merged.attributes[ATTR_SERVICE_NAME] === manifestText(manifest, 'name');
  const version = isOfManifest ? present({ [ATTR_SERVICE_VERSION]: manifestText(manifest, 'version') }) : {};
  const all = resourceFromAttributes(version).merge(merged);
  // Arguments and OTEL_RESOURCE_ATTRIBUTES may hold secrets as everything else does.
  return resourceFromAttributes(redactAttributes(all.attributes));
}

/** The name of this service, as its spans say it. Never throws. */
export function serviceNameOf(environment: NodeJS.ProcessEnv): string {
  return String(detectEnvironment(environment).attributes[ATTR_SERVICE_NAME] ?? '');
}

/** What the conventions name a service that nobody named: for its program, and not for where that lies on this machine. */
function unknownService(): string {
  return `unknown_service:${basename(process.argv0)}`;
}

function manifestText(manifest: string | undefined, key: 'name' | 'version'): string | undefined {
  try {
    const text = (JSON.parse(manifest ?? '{}') as Partial<Record<typeof key, unknown>>)[key];
    return typeof text === 'string' && text !== '' ? text : undefined;
  } catch {
    return undefined;
  }
}
