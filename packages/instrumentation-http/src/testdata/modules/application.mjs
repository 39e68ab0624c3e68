import { request } from 'undici';
import { exercise } from './exercise.ts';

await exercise(request);
