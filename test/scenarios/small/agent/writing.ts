// Asks a tool, then changes files by itself in the way that VIA says: below FOLDER, which is not temporary, but where the way says so.
import {
  appendFileSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { finished } from 'node:stream/promises';
import { writeHeapSnapshot } from 'node:v8';
import { context } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import pino from 'pino';
import { agent, sqliteClient, tool } from 'reenact';

const folder = process.env.FOLDER ?? '';
const inFolder = (name: string): string => join(folder, name);

async function byHandle(text: string): Promise<void> {
  await using handle = await open(inFolder('handle.txt'), 'a');
  await handle.write(text);
}

function amongTemporaryFiles(text: string): void {
  const scratch = mkdtempSync(join(tmpdir(), 'writing-'));
  writeFileSync(join(scratch, 'draft.md'), text);
  rmSync(scratch, { recursive: true });
}

function toOutputs(text: string): void {
  writeFileSync('/dev/null', text);
  mkdirSync(folder, { recursive: true });
  writeSync(1, 'said\n');
}

/** As an exporter does that keeps spans in a file. */
function withoutTracing(text: string): void {
  context.with(suppressTracing(context.active()), () => appendFileSync(inFolder('spans.json'), text));
}

function byLogger(text: string): void {
  pino(pino.destination({ dest: inFolder('pino.log'), sync: true })).info(text);
}

function toFolderOfLogs(text: string): void {
  mkdirSync(inFolder('logs'), { recursive: true });
  appendFileSync(inFolder('logs/agent.log'), text);
}

function readBack(text: string): void {
  appendFileSync(inFolder('session.jsonl'), text);
  readFileSync(inFolder('session.jsonl'));
}

function toDatabase(text: string, database = new DatabaseSync(inFolder('notes.db'))): void {
  database.exec('CREATE TABLE IF NOT EXISTS notes (text)');
  database.prepare('INSERT INTO notes VALUES (?)').run(text);
  database.close();
}

const opened = process.env.VIA === 'opened' ? new DatabaseSync(inFolder('notes.db')) : undefined;
const wrapped = new (sqliteClient(DatabaseSync))(process.env.VIA === 'wrapped' ? inFolder('notes.db') : ':memory:');

const ways: Readonly<Record<string, (text: string) => unknown>> = {
  report: (text) => writeFileSync(inFolder('report.md'), text),
  promise: (text) => writeFile(inFolder('report.md'), text),
  append: (text) => appendFileSync(inFolder('agent.log'), text),
  stream: (text) => finished(createWriteStream(inFolder('stream.txt')).end(text)),
  handle: byHandle,
  folder: () => mkdirSync(inFolder('made')),
  logger: byLogger,
  'log-folder': toFolderOfLogs,
  'read-back': readBack,
  suppressed: withoutTracing,
  database: toDatabase,
  opened: () => opened?.close(),
  snapshot: () => writeHeapSnapshot(inFolder('now.heapsnapshot')),
  memory: (text) => toDatabase(text, new DatabaseSync(':memory:')),
  wrapped: (text) => toDatabase(text, wrapped),
  temporary: amongTemporaryFiles,
  outputs: toOutputs,
  tool: tool('save', (text: string) => writeFileSync(inFolder('saved.md'), text)),
};

if (process.env.VIA === 'set-up') byLogger('started');
const ask = tool('ask', (_question: string) => 'forty-two');
const run = agent('writer', async (question: string) => {
  const answer = ask(question);
  await ways[process.env.VIA ?? '']?.(answer);
  return answer;
});

console.log(await run('how many?'));
