// Lint rules that catch real bugs, and the import matrix of docs/decisions.md (test/unit/architecture.spec.ts checks the same rows).
import tseslint from 'typescript-eslint';
import hooks from 'eslint-plugin-react-hooks';
import { PURE_ROOMS } from './test/unit/architecture/matrix.mjs';

const noVscode = {
  name: 'vscode',
  message:
    'Only editor/, panel/, commands/ and main.ts may import vscode; take what you need through ports.ts.',
};

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'out/**',
      'node_modules/**',
      '**/node_modules/**',
      'test/fixtures/**',
      '.vscode-test/**',
    ],
  },
  ...tseslint.configs.recommended,
  {
    files: ['extension/**/*.ts', 'webview/**/*.{ts,tsx}', 'test/**/*.{ts,tsx}'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-console': 'error',
      'max-lines': ['error', { max: 600 }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['test/**/*.{ts,tsx,mjs}'],
    rules: {
      'max-lines-per-function': 'off',
      'no-console': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['webview/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': hooks },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      'no-restricted-imports': [
        'error',
        {
          paths: [noVscode],
          patterns: [
            {
              regex: '^(\\.\\./)+extension/(?!protocol/)',
              message: 'The webview may import only extension/protocol.',
            },
          ],
        },
      ],
    },
  },
  {
    files: PURE_ROOMS.map((room) => `extension/${room}/**/*.ts`),
    rules: { 'no-restricted-imports': ['error', { paths: [noVscode] }] },
  },
  { files: ['extension/headless/**/*.ts', 'scripts/**', '*.mjs'], rules: { 'no-console': 'off' } },
);
