import { config } from 'zod';

// To be imported before any schema is made: the page's policy forbids the code that schemas are made into elsewhere, and Firefox says so in its console.
config({ jitless: true });
