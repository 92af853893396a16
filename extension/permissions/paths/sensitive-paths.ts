/**
 * The two lists of names that are protected wherever they are and however they are spelled: *control* files, which change what
 * runs without asking, and *secret* files. Only names are compared here; links are resolved by whoever asks.
 */

const CONTROL_FOLDERS = new Set([
  '.git',
  '.vscode',
  '.idea',
  '.devcontainer',
  '.claude',
  '.cursor',
  '.codex',
  '.gemini',
  '.roo',
  '.husky',
  '.sluice',
]);

const CONTROL_FILES = new Set([
  '.mcp.json',
  'mcp.json',
  'agents.md',
  'claude.md',
  'gemini.md',
  'sluice.md',
  '.npmrc',
  '.envrc',
  '.gitconfig',
  '.gitmodules',
  '.gitattributes',
  '.ripgreprc',
  '.sluiceignore',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.inputrc',
  '.claude.json',
  'config.fish',
  'microsoft.powershell_profile.ps1',
  'profile.ps1',
]);

const SECRET_FOLDERS = new Set(['.ssh', '.aws', '.gnupg', '.azure', '.kube']);
const SECRET_FILES = new Set(['.npmrc', '.pypirc', '.netrc', '_netrc', '.git-credentials']);
const SECRET_ENDINGS = ['.pem', '.key', '.p12', '.pfx', '.jks', '.keystore'];
const EXAMPLE_ENDINGS = ['.example', '.sample', '.template', '.dist'];

/** True when writing there can change what runs without asking. */
export function isControlPath(path: string): boolean {
  const parts = segments(path);
  const name = parts.at(-1) ?? '';
  if (parts.some((part) => CONTROL_FOLDERS.has(part))) return true;
  if (CONTROL_FILES.has(name) || name.startsWith('.yarnrc') || name.endsWith('.code-workspace')) return true;
  const joined = `/${parts.join('/')}/`;
  return (
    joined.includes('/.github/workflows/') ||
    joined.includes('/.ssh/') ||
    joined.includes('/.config/fish/') ||
    joined.includes('/.config/git/') ||
    /\/(code( - insiders)?|code-oss|vscodium|cursor|windsurf)\/user\//.test(joined)
  );
}

/** True when reading there can reveal a key, a token or a password. */
export function isSecretPath(path: string): boolean {
  const parts = segments(path);
  const name = parts.at(-1) ?? '';
  if (parts.some((part) => SECRET_FOLDERS.has(part)) || SECRET_FILES.has(name)) return true;
  if (name === '.env' || name.startsWith('.env.')) return !EXAMPLE_ENDINGS.some((end) => name.endsWith(end));
  if (SECRET_ENDINGS.some((end) => name.endsWith(end))) return true;
  if (/^id_(rsa|dsa|ecdsa|ed25519)/.test(name) && !name.endsWith('.pub')) return true;
  const joined = `/${parts.join('/')}`;
  return joined.endsWith('/.git/config') || /^\/proc\/[^/]+\/environ$/.test(joined);
}

function segments(path: string): readonly string[] {
  return path
    .normalize('NFC')
    .toLowerCase()
    .split(/[\\/]+/)
    .filter((part) => part !== '' && part !== '.');
}
