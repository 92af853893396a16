// Stands in for @vscode/native-watchdog (native): ends this process soon after the given one is gone.
const EVERY_MS = 2000;

/** @param {number} pid */
export const start = (pid) => {
  const check = () => {
    try {
      process.kill(pid, 0);
    } catch {
      process.exit(87);
    }
  };
  setInterval(check, EVERY_MS).unref();
};

/** @param {number} code */
export const exit = (code) => process.exit(code);
