import { PROPAGATION_VARIABLE } from '@reenact/instrumentation';
import { type GuardOptions, type Plan, replayServiceSettings, replayServices } from '@reenact/replay';
import { type Recording, ReenactError, type ReplayReport } from '@reenact/trace-model';
import type { Command } from 'commander';
import { collectorToken } from '../reading/collector-access.ts';
import { repeat } from './plan-flags.ts';

/** Flags for replays that running services take part in. */
export interface ServicesFlags {
  /** Address of a running service that takes the recorded request or call. */
  readonly url?: string;
  readonly services?: boolean;
  readonly propagateTo?: string[];
}

/** Adds the flags to a command. */
export function addServicesFlags(command: Command): Command {
  return command
    .option(
      '--url <address>',
      'send the recorded request, or make the recorded call (grpc://host:port), to a service that is running, started with REENACT_REPLAY_ALLOW=shared; no command then',
    )
    .option(
      '--services',
      'let other recorded services, running likewise, take part instead of serving what they answered',
    )
    .option(
      '--propagate-to <host>',
      'let the position of the replay travel to this host, too, besides this machine: name, *.name or address, with or without :port; may be repeated',
      repeat,
      [],
    );
}

/** The environment of the started command, with the hosts that the position may travel to. */
export function propagating(environment: NodeJS.ProcessEnv, { propagateTo = [] }: ServicesFlags): NodeJS.ProcessEnv {
  if (propagateTo.length === 0) return environment;
  const hosts = [environment[PROPAGATION_VARIABLE], ...propagateTo].filter((host) => host !== undefined && host !== '');
  return { ...environment, [PROPAGATION_VARIABLE]: hosts.join(',') };
}

/** Refuses what only a command that is started can do. `others`: flag by what was given for it. */
export function refuseBesideUrl(command: readonly string[], others: Readonly<Record<string, unknown>>): void {
  const given = Object.entries(others).find(([, value]) => value !== undefined)?.[0];
  const [what, next] =
    command.length > 0
      ? ['a command', 'Leave the command out: the service is running already.']
      : [given, `Leave ${given} out, or leave --url out and give the command that starts the service.`];
  if (what === undefined) return;
  throw new ReenactError(
    'bad-argument',
    `--url names a running service, and ${what} goes only with one that is started.`,
    {
      where: '--url',
      next: next ?? '',
    },
  );
}

/** Replays a run in running services. */
export function replayAtUrl(
  url: string,
  named: { readonly recording: Recording; readonly rootSpanId: string; readonly plan: Plan },
  more: {
    readonly guard: GuardOptions;
    readonly requestHeaders: Readonly<Record<string, string>>;
    readonly environment: NodeJS.ProcessEnv;
  },
): Promise<ReplayReport> {
  const { environment, ...options } = more;
  return replayServices({
    url,
    ...named,
    ...options,
    settings: replayServiceSettings({ ...environment, REENACT_TOKEN: collectorToken() }),
  });
}
