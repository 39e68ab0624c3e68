import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { emptyResource } from '@opentelemetry/resources';
import { afterEach, expect, it } from 'vitest';
import { tool } from '../index.ts';
import { FlakyExporter, SpooledHost } from '../testdata/spooled-host.ts';
import { SpoolKeeper } from './spool-keeper.ts';
import { folderName, ownerOf } from './spool-owner.ts';

const destination = 'http://127.0.0.1:1/v1/traces';
let host: SpooledHost;

afterEach(() => host.stop());

/** Leaves the spool of a process that sent so, as if that had died, and gives what one that sends so delivers of it. */
async function deliveredBy(sender: string | undefined, left: string | undefined): Promise<readonly string[]> {
  host = new SpooledHost({ spool: left === undefined ? {} : { sender: left } });
  await tool('left', async () => 1)();
  const folder = host.processor.spoolState()?.directory ?? '';
  const owner = ownerOf(basename(folder));
  if (owner === undefined) throw new Error('The host has no spool.');
  // Another process had this id once.
  cpSync(folder, join(host.directory, folderName({ ...owner, start: '1' })), { recursive: true });
  const settings = { directory: host.directory, destination, ...(sender === undefined ? {} : { sender }) };
  const unused = { viewOf: () => undefined, resourceOf: emptyResource } as never;
  const exporter = new FlakyExporter();
  await SpoolKeeper.open(settings, unused)?.deliverLeftovers(exporter);
  return exporter.names;
}

it.each([
  ['what was left by its own sender', 'first', 'first', ['left']],
  ['nothing of another sender', 'second', 'first', []],
  // Its exporter may have a token that was given in code.
  ['nothing of a sender where its own is not known', undefined, 'first', []],
  ['what was left without a token', 'second', undefined, ['left']],
  ['what was left without a token, having none itself', undefined, undefined, ['left']],
])('a process delivers %s', async (_, sender, left, delivered) => {
  expect(await deliveredBy(sender, left)).toEqual(delivered);
});
