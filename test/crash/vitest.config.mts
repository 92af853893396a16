// The crash suite: minutes of real processes that are killed. A suite of its own, so that unit tests stay fast.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: { include: ['test/crash/**/*.spec.ts'], passWithNoTests: false },
});
