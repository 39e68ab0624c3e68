import { DuckDBInstance } from '@duckdb/node-api';
import { agent, tool } from 'reenact';

// A database whose native add-on opens its file: OPENED says where from.
const file = process.env.FACTS_FILE ?? ':memory:';
const note = tool('note', async (text: string) => text.length);
const before = process.env.OPENED === 'before' ? await DuckDBInstance.create(file) : undefined;

/** A log that was closed again at once would be missed between two looks at what is open. */
const keptOpen: unknown[] = [];

async function opened(): Promise<DuckDBInstance> {
  if (process.env.OPENED === 'cached') return DuckDBInstance.fromCache(file);
  if (process.env.OPENED === 'read-only') return DuckDBInstance.create(file, { access_mode: 'READ_ONLY' });
  return before ?? DuckDBInstance.create(/^(?:beside|logging)$/.test(process.env.OPENED ?? '') ? ':memory:' : file);
}

async function count(): Promise<number> {
  const instance = await opened();
  const connection = await instance.connect();
  if (process.env.OPENED === 'beside') await connection.run(`ATTACH '${file}' AS facts; USE facts`);
  if (process.env.OPENED === 'logging') await connection.run(`SET log_query_path = '${file}'`);
  if (process.env.OPENED !== 'read-only') {
    await connection.run('CREATE TABLE IF NOT EXISTS facts (text TEXT)');
    await connection.run('INSERT INTO facts VALUES (?)', ['one more']);
  }
  const [found] = (await connection.runAndReadAll('SELECT count(*)::INTEGER AS facts FROM facts')).getRowObjects();
  if (process.env.OPENED === 'logging') keptOpen.push(instance, connection);
  else {
    connection.closeSync();
    instance.closeSync();
  }
  return Number(found?.facts);
}

const counted = process.env.WRAPPED === '1' ? tool('count', count) : count;
const run = agent('counter', async () => {
  await note('counting');
  return counted();
});
console.log(`counted ${await run()}`);
