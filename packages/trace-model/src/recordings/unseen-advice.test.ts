import { expect, it } from 'vitest';
import { missingAdvice } from './missing-advice.ts';
import { MISSING_CAUSES } from './missing-causes.ts';
import { unseenAdvice } from './unseen-advice.ts';

it.each([
  ['file /srv/report.md', 'changed a file', '--allow-path'],
  ['more than 16 files', 'changed a file', '--allow-path'],
  ['program chromium by playwright-core', 'started a program', '--allow-program'],
  ['program claude by @anthropic-ai/claude-agent-sdk', 'an agent that is a program of its own', 'async generator'],
  ['messages to server.mjs by @ai-sdk/mcp', 'asked a program', '--allow-program'],
  ['signal to process 412 by tree-kill', 'by its number', 'tool()'],
  ['priority of process 412', 'by its number', 'tool()'],
  ['database /srv/orders.duckdb by @duckdb/node-api', 'asked a database', 'reenact docs clients'],
  ['call pg.Pool.copy', 'by what no wrapper covers', 'tool()'],
  ['db.internal:5432 by postgres', 'opened a connection', 'reenact docs clients'],
  ['[::1]:6379', 'opened a connection', 'reenact docs clients'],
  ['/run/postgresql/.s.PGSQL.5432 by pg', 'opened a connection', 'reenact docs clients'],
  ['udp 127.0.0.1:8125 by hot-shots', 'sent a datagram', 'reenact docs clients'],
  ['dns.resolve4 db.internal', 'asked a name server', 'reenact docs clients'],
])('says of %s what was done and what to do about it', (detail, did, advice) => {
  const text = unseenAdvice([detail]) ?? '';
  expect(text).toContain(did);
  expect(text).toContain('a replay refuses that');
  expect(text).toContain(advice);
  expect(text.length).toBeLessThan(360);
});

it('says of several kinds each once, and of what a replay does not refuse no such thing', () => {
  const text = unseenAdvice(['file /srv/a', 'program git', 'file /srv/b']) ?? '';
  expect(text).toMatch(
    /^The agent changed a file that is not temporary and started a program, and nothing recorded it;/,
  );
  expect(text.match(/--allow-path/g)).toHaveLength(1);
  expect(unseenAdvice(['thread /srv/worker.mjs'])).not.toContain('refuses');
  expect(unseenAdvice(['what the MCP server shop says by itself (notifications/message)'])).not.toContain('refuses');
});

it('tells what the program did outside of the run from what the agent did', () => {
  expect(unseenAdvice(['before the run: db.internal:5432'])).toMatch(
    /^The program, before the run or beside it, opened/,
  );
  expect(unseenAdvice(['file /srv/a', 'beside the run: program git'])).toMatch(/^The agent, or the program outside/);
});

it('leaves to the whole text what is of no kind that it knows', () => {
  expect(unseenAdvice([])).toBeUndefined();
  expect(unseenAdvice(['file /srv/a', 'more than 16 places'])).toBeUndefined();
  expect(missingAdvice('unseen-connection', ['more than 16 places'])).toBe(MISSING_CAUSES['unseen-connection']);
  expect(missingAdvice('unseen-connection', ['program git'])).toContain('started a program');
});
