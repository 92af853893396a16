import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../extension/headless/arguments';

const wrong = (...argv: string[]): string => {
  const parsed = parseArguments(argv, '/here');
  return parsed.type === 'wrong' ? parsed.problem : parsed.type;
};

describe('the command line of the headless runner', () => {
  it('takes what the benchmarks give it', () => {
    const argv = [
      '-p',
      'go',
      '--route',
      'anthropic',
      '--base-url',
      'http://127.0.0.1:1',
      '--model',
      'm',
      '--cwd',
      'sub',
      '--mode',
      'auto-run',
      '--sessions',
      's',
    ];
    expect(parseArguments(argv, '/here')).toMatchObject({
      type: 'run',
      options: {
        prompt: 'go',
        route: 'anthropic',
        baseUrl: 'http://127.0.0.1:1',
        model: 'm',
        cwd: '/here/sub',
        mode: 'autoRun',
        sessions: '/here/s',
        sideEffects: 'response_end',
      },
    });
  });

  it.each([
    [['-p', ''], /What is to be done/],
    [['-p', '   '], /What is to be done/],
    [['-p', 'x', '--mode', 'yolo'], /no mode yolo/],
    [['-p', 'x', '--route', 'nosuch'], /no route nosuch/],
    [['-p', 'x', '--base-url', 'notaurl'], /takes an address/],
    [['-p', 'x', '--side-effects', 'now'], /response-end or block-close/],
    [['-p', 'x', '--max-steps', '0'], /above 0/],
    [['-p', 'x', '--resume', '../../etc/passwd'], /not the id of a session/],
    [['-p', 'x', '--nonsense'], /nonsense/],
  ])('says what is wrong with %j', (argv, problem) => {
    expect(wrong(...argv)).toMatch(problem);
  });
});
