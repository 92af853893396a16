// Unit, property and architecture tests: plain Node; where code of the editor's side is tried, test/fakes/vscode.ts stands for VS Code.
// Host and e2e suites have runners of their own (scripts/).
import path from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { vscode: path.resolve(import.meta.dirname, 'test/fakes/vscode.ts') } },
  test: {
    include: ['test/unit/**/*.spec.{ts,tsx}'],
    testTimeout: 30_000,
    passWithNoTests: false,
    // On a shared machine a server on loopback can take longer than a test allows; once more is enough, and said in the report.
    retry: process.env['CI'] ? 1 : 0,
  },
});
