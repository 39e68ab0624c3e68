// Asks for three things, and with MORE=1 for one more behind the first.
import { tool } from 'reenact';

const look = tool('look', async (what: string) => ({ about: what }));
for (const what of ['alpha', ...(process.env.MORE === '1' ? ['more'] : []), 'beta', 'gamma'])
  console.log(`${what}: ${(await look(what)).about}`);
