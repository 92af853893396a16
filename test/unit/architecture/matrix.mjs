// The import matrix (docs/decisions.md): which room may import which. The architecture test and eslint.config.mjs both read it.

/** Rooms that never import `vscode`. */
export const PURE_ROOMS = [
  'protocol',
  'agent',
  'models',
  'tools',
  'permissions',
  'sessions',
  'review',
  'context',
  'hooks',
  'mcp',
  'assembly',
  'node',
  'headless',
];

/**
 * Row may import column. 'all' = anything of that room, 'types' = `import type` only, 'vocab' = only protocol/vocabulary.
 * `node` lists the built-in modules a room may use ('*' = all). What is absent is forbidden.
 */
export const MATRIX = {
  protocol: { rooms: {}, vscode: false, node: [], packages: [] },
  ports: { rooms: { protocol: 'vocab' }, vscode: false, node: [], packages: [] },
  permissions: {
    rooms: { protocol: 'vocab', ports: 'types', tools: 'types' },
    vscode: false,
    node: ['path'],
    packages: '*',
  },
  models: { rooms: { protocol: 'vocab', ports: 'types' }, vscode: false, node: [], packages: '*' },
  tools: {
    rooms: { protocol: 'vocab', ports: 'all', models: 'types' },
    vscode: false,
    node: ['path'],
    packages: '*',
  },
  agent: {
    rooms: {
      protocol: 'vocab',
      ports: 'all',
      models: 'types',
      tools: 'all',
      permissions: 'all',
      context: 'all',
    },
    vscode: false,
    node: [],
    packages: ['zod'],
  },
  sessions: {
    rooms: { protocol: 'vocab', ports: 'types', agent: 'types', models: 'types' },
    vscode: false,
    node: ['path'],
    packages: '*',
  },
  review: { rooms: { protocol: 'vocab', ports: 'all' }, vscode: false, node: ['path'], packages: ['diff'] },
  context: {
    rooms: { protocol: 'vocab', ports: 'types', tools: 'types', models: 'types' },
    vscode: false,
    node: ['path'],
    packages: '*',
  },
  node: {
    rooms: { protocol: 'vocab', ports: 'all', tools: 'types' },
    vscode: false,
    node: '*',
    packages: '*',
  },
  assembly: {
    rooms: {
      protocol: 'vocab',
      ports: 'all',
      agent: 'all',
      models: 'types',
      tools: 'all',
      permissions: 'all',
      sessions: 'all',
      context: 'all',
    },
    vscode: false,
    node: ['path'],
    packages: [],
  },
  headless: {
    rooms: {
      assembly: 'all',
      protocol: 'vocab',
      ports: 'all',
      agent: 'all',
      models: 'all',
      tools: 'all',
      permissions: 'all',
      sessions: 'all',
      review: 'all',
      context: 'all',
      node: 'all',
    },
    vscode: false,
    node: '*',
    packages: '*',
  },
  editor: {
    rooms: { protocol: 'vocab', ports: 'all', models: 'types', tools: 'types', review: 'all', node: 'all' },
    vscode: true,
    node: '*',
    packages: '*',
  },
  panel: {
    rooms: {
      protocol: 'all',
      ports: 'all',
      agent: 'types',
      models: 'types',
      tools: 'types',
      permissions: 'types',
      sessions: 'types',
      review: 'all',
      editor: 'all',
    },
    vscode: true,
    node: ['crypto'],
    packages: ['zod'],
  },
  commands: {
    rooms: {
      protocol: 'vocab',
      ports: 'all',
      agent: 'types',
      sessions: 'types',
      models: 'types',
      review: 'types',
      editor: 'all',
      panel: 'all',
    },
    vscode: true,
    node: [],
    packages: [],
  },
};
