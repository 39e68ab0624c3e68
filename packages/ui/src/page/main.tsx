import './reading/without-eval.ts';
import { render } from 'preact';
import { Page } from './page.tsx';

const place = document.querySelector('#app');
if (place !== null) render(<Page />, place);
