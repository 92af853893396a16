// Builds the bundles when they are not there, so that a script that needs one works on a fresh clone after `npm ci`. Prints nothing.
import { existsSync } from 'node:fs';
import { npm } from './lib/steps.mjs';

if (!existsSync('dist/headless.js') && !npm(['run', '--silent', 'build'], { quiet: true })) process.exit(1);
