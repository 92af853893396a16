/**
 * Programs for sed, awk and jq that certainly only read their input. Each check knows a few plain forms; the rest is not
 * wrong, only not known.
 */

/** `5p`, `1,20p`, `$p`, and plain `s///`, several separated by `;`. */
export function sedIsPlain(script: string): boolean {
  return sedCommands(script).every(
    (command) => /^(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?p$/.test(command) || isPlainSubstitution(command),
  );
}

function sedCommands(script: string): readonly string[] {
  const trimmed = script.trim();
  return /^[\d$,+p;\s]*$/.test(trimmed) ? trimmed.split(';').map((part) => part.trim()) : [trimmed];
}

/** Flags `w` and `e` write and run; a backslash as delimiter or a line break is more than we read. */
function isPlainSubstitution(command: string): boolean {
  const delimiter = command.charAt(1);
  if (!command.startsWith('s') || !/^[/|#,:@%!_~]$/.test(delimiter) || command.includes('\n')) return false;
  const parts: string[] = [''];
  for (let at = 2; at < command.length; at++) {
    const here = command.charAt(at);
    if (here === '\\') parts[parts.length - 1] += here + command.charAt(++at);
    else if (here === delimiter) parts.push('');
    else parts[parts.length - 1] += here;
  }
  return parts.length === 3 && /^[gpiI\d]*$/.test(parts[2] ?? 'w');
}

/** No output to files or programs, no other input, no environment, no extensions. */
export function awkIsPlain(program: string): boolean {
  return (
    program !== '' &&
    !/[>|@`\\]/.test(program.replace(/\\[nt"\\/.]/g, '')) &&
    !/\b(?:system|getline|close|fflush|printf\s*\(.*\)\s*>|ENVIRON|ARGV|ARGC|PROCINFO|SYMTAB|FUNCTAB|extension|load)\b/.test(
      program,
    )
  );
}

/** No environment, no other files or modules. */
export function jqIsPlain(program: string): boolean {
  return (
    !/\$ENV|\$__prog|\b(?:import|include|input_filename|modulemeta|get_search_list|halt_error|debug|stderr)\b/.test(
      program,
    ) && !/(?:^|[^.\w]|\.\.)env\b/.test(program)
  );
}
