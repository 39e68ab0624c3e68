// The program of the desk.
import { answer } from './desk.ts';

console.log(JSON.stringify(await answer('how much?')));
