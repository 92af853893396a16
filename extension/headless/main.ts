/**
 * The headless runner: the same engine as in VS Code, on a command line. Prints one JSON event a line and ends when the turn has ended.
 * Benchmarks, scripts and outside checks use it.
 */
import { parseArguments, USAGE, type HeadlessOptions } from './arguments';
import { eventWriter } from './event-writer';
import { headlessRoute } from './routes';
import { openHeadless } from './session';
import { UserError, type Log } from '../ports';

/** Everything but events goes to the error stream, one line each, without details that could hold a secret. */
const log: Log = {
  write(level, message, details) {
    if (level === 'debug' || level === 'info') return;
    process.stderr.write(`${level}: ${message}${details instanceof Error ? `: ${details.message}` : ''}\n`);
  },
};

async function run(options: HeadlessOptions): Promise<number> {
  const { conversation, session, shell, close } = await openHeadless(
    options,
    headlessRoute(options, process.env),
    log,
  );
  const out = eventWriter(process.stdout);
  const stop = (): void => conversation.stop();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  process.once('exit', () => shell.killNow());
  out.write({ type: 'session', id: conversation.id, path: session.transcript.path });
  let code = 1;
  const events =
    options.prompt === '' ? conversation.continueTurn() : conversation.submit({ text: options.prompt });
  for await (const event of events) {
    out.write(event);
    if (event.type === 'turn_ended') code = event.outcome.kind === 'completed' ? 0 : 1;
  }
  await Promise.all([out.flush(), close()]);
  return code;
}

async function main(): Promise<void> {
  const parsed = parseArguments(process.argv.slice(2), process.cwd());
  switch (parsed.type) {
    case 'help':
      process.stdout.write(`${USAGE}\n`);
      return;
    case 'wrong':
      process.stderr.write(`${parsed.problem}\n\n${USAGE}\n`);
      process.exitCode = 64;
      return;
    case 'run':
      // What a command left in the event loop must not keep the process: everything of ours is flushed by now.
      process.exit(await run(parsed.options));
  }
}

main().catch((error: unknown) => {
  if (error instanceof UserError) {
    process.stderr.write(`${error.message}\n`);
    process.exit(64);
  }
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});
