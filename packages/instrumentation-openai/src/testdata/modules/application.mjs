import OpenAI from 'openai';
import { exercise } from './exercise.ts';

await exercise(OpenAI, process.argv[2]);
