import { writeFileSync } from 'node:fs';
import { openApiDocument } from '@reenact/trace-model/collector-api';
import { renderApiPage } from './api-page.ts';

// Run by `npm run generate`.
writeFileSync(new URL('../../../docs/api.md', import.meta.url), renderApiPage());
const document = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
writeFileSync(new URL('../../../docs/openapi.json', import.meta.url), document);
