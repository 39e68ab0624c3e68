import * as undici from 'undici';
import { act } from './undici-act.mjs';

export const run = (address) => act(undici, address);
