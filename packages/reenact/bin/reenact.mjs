#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
import '../dist/main.js';
