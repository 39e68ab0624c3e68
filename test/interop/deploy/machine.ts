import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../conformance/testbed.ts';
import type { ContainerEngine } from './container-engine.ts';
import { buildImage, IMAGE, REPOSITORY, START_MS_MAX } from './deployed.ts';

const MACHINE_IMAGE = 'localhost/reenact-machine-under-test:latest';

/** Name of the unit. */
export const UNIT = 'reenact-collector.service';

const lines = [
  `FROM ${IMAGE}`,
  'USER root',
  'RUN apt-get update && apt-get install -y --no-install-recommends systemd systemd-sysv',
  // As `npm install --global` puts it.
  'RUN ln -s /reenact/node_modules/reenact/bin/reenact.mjs /usr/local/bin/reenact && mkdir /etc/reenact',
  'STOPSIGNAL SIGRTMIN+3',
  'ENTRYPOINT ["/sbin/init"]',
];

/** A container that systemd runs as it runs a machine, with the command installed and the unit known. */
export class Machine {
  private readonly engine: ContainerEngine;
  private readonly folder: string;
  private readonly name = `reenact-machine-${process.pid}`;

  /** `folder` is for files on their way in. */
  constructor(engine: ContainerEngine, folder: string) {
    this.engine = engine;
    this.folder = folder;
  }

  /** Builds its image and starts it. */
  async start(): Promise<void> {
    await buildImage(this.engine);
    writeFileSync(join(this.folder, 'Containerfile'), `${lines.join('\n')}\n`);
    await this.engine.run(['build', '--file', join(this.folder, 'Containerfile'), '--tag', MACHINE_IMAGE, this.folder]);
    await this.engine.run(['run', '--detach', '--name', this.name, '--privileged', '--systemd=always', MACHINE_IMAGE]);
    const isUp = async () => /running|degraded/.test((await this.attempt('systemctl', 'is-system-running')).stdout);
    await eventually('systemd', isUp, START_MS_MAX);
    await this.copy(join(REPOSITORY, 'collector/deploy', UNIT), `/etc/systemd/system/${UNIT}`);
  }

  /** Runs a command on it; what it printed. */
  on(...command: readonly string[]): Promise<string> {
    return this.engine.run(['exec', this.name, ...command]);
  }

  /** Runs a command on it, which may fail. */
  attempt(...command: readonly string[]): ReturnType<ContainerEngine['attempt']> {
    return this.engine.attempt(['exec', this.name, ...command]);
  }

  /** Runs a module on it; what it printed. */
  ask(script: string): Promise<string> {
    return this.on('node', '--input-type=module', '--eval', script);
  }

  /** One property of the unit. */
  async property(name: string): Promise<string> {
    return (await this.on('systemctl', 'show', '--value', `--property=${name}`, UNIT)).trim();
  }

  /** What the journal has of the unit. */
  journal(): Promise<string> {
    return this.on('journalctl', '--no-pager', '--unit', UNIT);
  }

  /** Writes the configuration that is delivered with the unit, with these keys changed. */
  async configure(change: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const config = JSON.parse(readFileSync(join(REPOSITORY, 'collector/deploy/collector.json'), 'utf8')) as object;
    const file = join(this.folder, 'collector.json');
    writeFileSync(file, JSON.stringify({ ...config, ...change }));
    await this.copy(file, '/etc/reenact/collector.json');
  }

  /** Removes it. */
  async remove(): Promise<void> {
    await this.engine.attempt(['rm', '--force', '--volumes', this.name]);
    await this.engine.attempt(['image', 'prune', '--force']);
  }

  private async copy(from: string, to: string): Promise<void> {
    await this.engine.run(['cp', from, `${this.name}:${to}`]);
  }
}
