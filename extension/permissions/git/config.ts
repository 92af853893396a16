/**
 * Reads a git configuration file and names every setting that could start a program or is simply not known to be harmless. The
 * harmless ones are listed, not the dangerous ones. Text in, names out.
 */

export interface GitSetting {
  /** `section.subsection.key`, section and key in lower case. */
  readonly name: string;
  readonly value: string;
}

/** Undefined when the text is not what git would accept. */
export function parseGitConfig(text: string): readonly GitSetting[] | undefined {
  const settings: GitSetting[] = [];
  let section: string | undefined;
  for (const line of joinedLines(text)) {
    const trimmed = line.trim();
    if (trimmed === '' || /^[#;]/.test(trimmed)) continue;
    const header = /^\[([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\]\s*(.*)$/.exec(trimmed);
    if (header) {
      const subsection = header[2]?.replace(/\\(.)/g, '$1');
      section = (header[1] ?? '').toLowerCase() + (subsection === undefined ? '' : `.${subsection}`);
      if (!readSetting(header[3] ?? '', section, settings)) return undefined;
      continue;
    }
    if (section === undefined || !readSetting(trimmed, section, settings)) return undefined;
  }
  return settings;
}

function joinedLines(text: string): readonly string[] {
  return text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .replace(/\\\n/g, '')
    .split('\n');
}

function readSetting(line: string, section: string, into: GitSetting[]): boolean {
  if (line === '' || /^[#;]/.test(line)) return true;
  const match = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(line);
  if (!match) return false;
  into.push({ name: `${section}.${(match[1] ?? '').toLowerCase()}`, value: match[2] ?? 'true' });
  return true;
}

const HARMLESS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|safecrlf|eol|quotepath|abbrev|compression|loosecompression|bigfilethreshold|untrackedcache|preloadindex|protecthfs|protectntfs|longpaths|fscache|hidedotfiles|sharedrepository|warnambiguousrefs|commentchar|checkstat|trustctime|deltabasecachelimit|packedgitlimit|packedgitwindowsize|sparsecheckout|sparsecheckoutcone|multipackindex|commitgraph|checkroundtripencoding|whitespace|createobject|fsyncobjectfiles|fsync|fsyncmethod|notesref|excludesfile|usereplacerefs)$/,
  /^(?:extensions)\.(?:objectformat|worktreeconfig|refstorage|compatobjectformat|preciousobjects|noop|noop-v1|relativeworktrees)$/,
  /^remote\..+\.(?:url|pushurl|fetch|push|mirror|prune|prunetags|tagopt|skipdefaultupdate|skipfetchall|followremotehead|gh-resolved)$/,
  /^branch\..+\.(?:remote|pushremote|merge|rebase|description|mergeoptions|vscode-merge-base|github-pr-owner-number|github-pr-base-branch|gh-merge-base|gk-.+|base|autosetuprebase)$/,
  /^branch\.(?:autosetupmerge|autosetuprebase|sort)$/,
  /^user\.(?:name|email|useconfigonly)$/,
  /^(?:author|committer)\.(?:name|email)$/,
  /^submodule\.(?:active|recurse|fetchjobs|.+\.(?:url|active|branch|path|ignore|fetchrecursesubmodules|shallow))$/,
  /^(?:pull|fetch|rebase|push|merge|am|apply|pack|gc|repack|index|feature|color|column|advice|status|help|init|tag|receive|transfer|clean|checkout|stash|rerere|worktree|maintenance|versionsort|i18n|gui|pretty|commitgraph|splitindex|lfs|svn-remote\..+|blame|showbranch|remote|clone|log|notes|grep)\.(?!.*(?:command|cmd|program|helper|hook|driver|textconv|tool|pager|editor|path$|file$|proxy|askpass|signature|exec|promisor|partialclone|customtransfer|showsignature|url$|concurrenttransfers$|template))[a-z0-9.-]+$/i,
  /^diff\.(?:algorithm|renames|renamelimit|colormoved|colormovedws|mnemonicprefix|noprefix|context|interhunkcontext|wserrorhighlight|suppressblankempty|indentheuristic|statgraphwidth|ignoresubmodules|relative|dirstat|autorefreshindex|wordregex|orderfile|submodule)$/,
  /^diff\..+\.(?:binary|xfuncname|funcname|wordregex|algorithm|cachetextconv)$/,
  /^https?\..+$/,
  /^url\..+\.(?:insteadof|pushinsteadof)$/,
  /^lfs\..+\.(?:access|locksverify)$/,
  /^gitflow\..+$/,
  /^commit\.(?:gpgsign|cleanup|status|verbose)$/,
  /^format\.(?:pretty|signoff|outputdirectory|numbered|subjectprefix)$/,
];

/** Names of settings that keep git from being started without a question. */
export function suspiciousSettings(settings: readonly GitSetting[]): readonly string[] {
  return settings.filter((setting) => !isHarmless(setting)).map(({ name }) => name);
}

function isHarmless({ name, value }: GitSetting): boolean {
  if (name === 'core.bare') return /^(?:false|no|off|0)$/i.test(value.trim());
  if (name.startsWith('alias.')) return /^"?[a-z][\w-]*(?:\s[^!]*)?$/i.test(value.trim());
  // Either switches a built-in watcher of git, or names a program.
  if (name === 'core.fsmonitor') return /^(?:false|no|off|0|true|yes|on|1)$/i.test(value.trim());
  if (/^diff\.submodule$/.test(name)) return /^(?:short|log)$/i.test(value.trim());
  if (/^remote\..+\.(?:url|pushurl)$/.test(name)) return !/^\w+::/.test(value.trim().replace(/^"/, ''));
  return HARMLESS.some((pattern) => pattern.test(name));
}
