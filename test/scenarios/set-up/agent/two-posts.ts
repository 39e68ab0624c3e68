// A program with two runs that share a pool, and nothing else before them.
import { evening, morning } from './pool.ts';

await morning();
await evening();
