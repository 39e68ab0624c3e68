import { spawnSync } from 'node:child_process';
import { peerPath } from '../peers/peer.ts';

/** One command of a Dockerfile, as BuildKit reads it. */
export interface ImageCommand {
  readonly name: string;
  readonly code: Readonly<Record<string, unknown>>;
}

/** What BuildKit makes of a Dockerfile. */
export interface ReadImage {
  readonly stages: readonly {
    readonly name: string;
    readonly base: string;
    readonly commands: readonly ImageCommand[];
  }[];
  /** Of its parser and its linter. */
  readonly warnings: readonly string[];
}

/** What Compose makes of a compose file, as far as it is looked at. */
export interface ReadProject {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly build?: { readonly context: string; readonly dockerfile: string };
        readonly environment?: Readonly<Record<string, string>>;
        readonly ports?: readonly { readonly host_ip?: string; readonly target: number; readonly published: string }[];
        readonly volumes?: readonly { readonly source: string; readonly target: string }[];
        readonly stop_grace_period?: string;
      }
    >
  >;
}

/** Reads a file by the peer `deploy-reader`; throws with what it says where the file cannot be used. */
export function readDeploy(kind: 'dockerfile' | 'compose', path: string, variables: NodeJS.ProcessEnv = {}): unknown {
  const environment = { PATH: process.env.PATH, ...variables };
  const { status, stdout, stderr } = spawnSync(peerPath('deploy-reader') ?? '', [kind, path], {
    encoding: 'utf8',
    env: environment,
  });
  if (status !== 0) throw new Error(stderr.trim());
  return JSON.parse(stdout);
}
