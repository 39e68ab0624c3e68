// The production agent of the incident: `node app.ts "<request>"`. Nothing here knows about recording or replay beyond the
// boundary wrappers; the openai client is instrumented from outside.
import { answerCustomer } from './trader.ts';

const request = process.argv[2] ?? 'Please sell $1,000 worth of my ACME shares.';

const answer = await answerCustomer({
  request,
  account: 'A-4711',
  onText: (text) => process.stdout.write(process.env.TRADING_SHOW_CHUNKS === '1' ? `${JSON.stringify(text)}\n` : text),
});
process.stdout.write('\n');
if (process.env.TRADING_ANSWER_AS_JSON === '1') console.log(JSON.stringify({ answer }));
