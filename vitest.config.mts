// Unit, property and architecture tests: plain Node, no VS Code. Host and e2e suites have runners of their own (scripts/).
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/unit/**/*.spec.{ts,tsx}'],
    testTimeout: 30_000,
    passWithNoTests: false,
  },
});
