// The program of the agent; no replay that a function enters runs it.
import { answer } from './desk.ts';

console.log(JSON.stringify(await answer({ text: 'sell $1,000', onText: (text) => console.log(`said ${text}`) })));
