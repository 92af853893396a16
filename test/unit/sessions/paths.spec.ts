import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  agentIdFrom,
  isSessionId,
  pathsOfTranscript,
  projectFolder,
  projectSlug,
  sessionPaths,
  sessionsRoot,
  subagentPaths,
} from '../../../extension/sessions/paths';

describe('the folder name of a workspace', () => {
  it.each([
    ['/home/dev/example-project', '-home-dev-example-project'],
    ['/a.b', '-a-b'],
    ['/a_b', '-a-b'],
    ['/my project/x', '-my-project-x'],
    ['/日本語', '----'],
    ['/🙂', '---'],
    ['/É', '--'],
    ['/E\u0301', '-E-'],
    ['C:\\Users\\Me', 'C--Users-Me'],
  ])('of %s is %s', (folder, slug) => {
    expect(projectSlug(folder)).toBe(slug);
  });

  it('is cut at 200 and then told apart by a hash of the whole', () => {
    const exact = `/${'a'.repeat(199)}`;
    expect(projectSlug(exact)).toBe(`-${'a'.repeat(199)}`);
    const [one, two] = [`/${'a'.repeat(199)}b`, `/${'a'.repeat(199)}c`].map(projectSlug);
    expect(one).toMatch(new RegExp(`^-a{199}-[0-9a-z]+$`));
    expect(one).not.toBe(two);
  });

  it('has the hash that other programs compute', () => {
    // 32-bit, h = h * 31 + unit, over the path, absolute value in base 36.
    let hash = 0;
    const folder = `/${'x/y'.repeat(80)}`;
    for (const unit of folder) hash = (hash * 31 + unit.charCodeAt(0)) | 0;
    expect(projectSlug(folder)).toBe(
      `${folder.replace(/[^A-Za-z0-9]/g, '-').slice(0, 200)}-${Math.abs(hash).toString(36)}`,
    );
  });
});

describe('the paths of a session', () => {
  const id = '0b8f1a50-0000-4000-8000-000000000001';
  it('lie beside its transcript', () => {
    const paths = sessionPaths(projectFolder(sessionsRoot('/home/me'), '/work'), id);
    expect(paths.transcript).toBe(path.join('/home/me/.sluice/projects/-work', `${id}.jsonl`));
    expect(paths.toolResults).toBe(path.join('/home/me/.sluice/projects/-work', id, 'tool-results'));
    expect(pathsOfTranscript(paths.transcript)).toEqual(paths);
    expect(subagentPaths(paths, 'a0123456789abcdef')).toEqual({
      transcript: path.join(paths.subagents, 'agent-a0123456789abcdef.jsonl'),
      manifest: path.join(paths.subagents, 'agent-a0123456789abcdef.meta.json'),
    });
  });

  it('tell ids from other names', () => {
    expect(isSessionId(id)).toBe(true);
    expect(isSessionId(id.toUpperCase())).toBe(true);
    expect(isSessionId('agent-a0123456789abcdef')).toBe(false);
    expect(isSessionId(`../${id}`)).toBe(false);
    expect(agentIdFrom(id)).toMatch(/^a[0-9a-f]{16}$/);
  });
});
