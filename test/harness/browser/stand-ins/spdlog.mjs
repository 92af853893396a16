// Stands in for @vscode/spdlog (native): appends to the same log files, without rotation.
import fs from 'node:fs';
import path from 'node:path';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'critical'];
const LABELS = { warn: 'warning' };

export class Logger {
  #file;
  #level = 0;
  #raw = false;

  constructor(_kind, _name, file) {
    this.#file = file;
  }

  #append(level, message) {
    if (LEVELS.indexOf(level) < this.#level) return;
    const time = new Date().toISOString().replace('T', ' ').slice(0, 23);
    const line = this.#raw ? message : `${time} [${LABELS[level] ?? level}] ${message}\n`;
    try {
      fs.appendFileSync(this.#file, line);
    } catch {
      // The folder is deleted at the end of a run, perhaps before the last line.
    }
  }

  static {
    for (const level of LEVELS) {
      Logger.prototype[level] = function (message) {
        this.#append(level, message);
      };
    }
  }

  getLevel() {
    return this.#level;
  }
  setLevel(level) {
    this.#level = level;
  }
  clearFormatters() {
    this.#raw = true;
  }
  setPattern() {}
  flush() {}
  drop() {}
}

/**
 * @param {string} name
 * @param {string} file
 */
async function createLogger(name, file) {
  await fs.promises.mkdir(path.dirname(file), { recursive: true });
  return new Logger('', name, file);
}

export { createLogger as createRotatingLogger, createLogger as createAsyncRotatingLogger };
export const version = 0;
export const setLevel = () => {};
export const setFlushOn = () => {};
