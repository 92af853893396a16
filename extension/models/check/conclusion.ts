/** What the grades of an exam mean for work, in words: first what the route is fit for, then what to mind. Pure. */
import type { Grade, LineId, LineReport } from './exam';

export function conclude(lines: readonly LineReport[]): string {
  const grade = (id: LineId): Grade => lines.find((line) => line.id === id)?.grade ?? 'not_run';
  const bad = (id: LineId): boolean => grade(id) === 'fail' || grade(id) === 'not_supported';
  const fit = fitness(bad, lines);
  const notes = fit.works ? remarks(grade) : [];
  return [fit.words, ...notes].join(' ');
}

interface Fitness {
  readonly words: string;
  /** Whether remarks about the rest are of any use. */
  readonly works: boolean;
}

function fitness(bad: (id: LineId) => boolean, lines: readonly LineReport[]): Fitness {
  if (bad('text')) {
    const why = lines.find(({ id }) => id === 'text')?.evidence ?? '';
    return { words: `This route does not work as it is. ${why}`, works: false };
  }
  if (bad('one_call'))
    return {
      words: 'Fine for questions; it cannot work on files, because it does not call tools as it should.',
      works: false,
    };
  if (bad('edit') || bad('long_arguments'))
    return { words: 'Fine for questions and for reading; will fail on multi-step edits.', works: true };
  if (bad('twenty_results'))
    return { words: 'Fine for short tasks; loses the thread in long ones.', works: true };
  if (bad('tool_error'))
    return { words: 'Fine for simple tasks; gives up when something goes wrong on the way.', works: true };
  return { words: 'Fit for multi-step work.', works: true };
}

function remarks(grade: (id: LineId) => Grade): string[] {
  const all: readonly (readonly [boolean, string])[] = [
    [grade('denial') === 'fail', 'It tries again what you declined: do not let it work without questions.'],
    [grade('two_calls') === 'not_supported', 'It calls one tool at a time, so it is slower.'],
    [grade('two_calls') === 'fail', 'It confuses results that come together.'],
    [grade('long_context') === 'fail', 'It does not read its whole window: keep sessions short.'],
    [grade('image') === 'not_supported', 'It sees no images.'],
    [grade('image') === 'fail', 'What it says about images is not to be trusted.'],
    [grade('reasoning') === 'fail', 'It does not take its own reasoning back.'],
    [grade('stop') === 'fail', 'It cannot be stopped at once.'],
  ];
  return all.filter(([holds]) => holds).map(([, words]) => words);
}
