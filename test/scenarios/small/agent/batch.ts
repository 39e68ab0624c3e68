// A batch job: several runs in one process, one for each ticket. TICKETS names them; AT_ONCE=1 makes them side by side, FAILING the one
// whose tool fails, EDITED the one that is asked otherwise now, LEFT_OUT the one that is not gone through now.
import { agent, tool, withIdentity } from 'reenact';

interface Ticket {
  readonly id: string;
}

const lookUp = tool(
  'look_up',
  async ({ ticket, depth }: { ticket: string; depth: number }) => {
    if (process.env.TOOL_MUST_NOT_RUN === '1') console.log(`the tool ran for ${ticket}`);
    if (process.env.FAILING === ticket) throw new Error(`nothing is known of ${ticket}`);
    await new Promise((resolve) => setTimeout(resolve, ticket === 'a' ? 30 : 5));
    return { ticket, found: `${ticket}${depth} at ${Date.now()}` };
  },
  { effect: 'read' },
);

// Nested: an agent within an agent is a part of its run.
const summary = agent('summary', async (seen: readonly string[]) => {
  await lookUp({ ticket: 'summary', depth: seen.length });
  return seen.join(', ');
});

const triage = agent('triage', async ({ id }: Ticket) => {
  const seen: string[] = [];
  for (const depth of [1, 2]) {
    const { found } = await lookUp({ ticket: process.env.EDITED === id ? `${id}!` : id, depth });
    seen.push(found);
    // The second call is made with what the first gave, and with the time and luck of then.
    await note({ found, at: Date.now(), luck: Math.random() });
  }
  return summary(seen);
});

const note = tool('note', async (entry: object) => JSON.stringify(entry).length, { effect: 'write' });

async function answered(id: string): Promise<string> {
  try {
    return `${id}: ${await withIdentity({ userId: id }, () => triage({ id }))}`;
  } catch (error) {
    return `${id}: ${error instanceof Error ? error.message : 'failed'}`;
  }
}

const tickets = (process.env.TICKETS ?? 'a,b,c').split(',').filter((id) => id !== process.env.LEFT_OUT);
if (process.env.AT_ONCE === '1') console.log((await Promise.all(tickets.map(answered))).join('\n'));
else for (const id of tickets) console.log(await answered(id));
