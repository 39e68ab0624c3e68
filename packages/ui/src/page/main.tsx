import './reading/without-eval.ts';
import { render } from 'preact';
import { Page } from './page.tsx';
import { showDirections } from './shown/visible-directions.ts';

showDirections();
const place = document.querySelector('#app');
if (place !== null) render(<Page />, place);
