// Stands in for @vscode/spdlog (native): appends to the same log files, without rotation.
const fs = require('node:fs');
const path = require('node:path');

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'critical'];
const LABELS = { warn: 'warning' };

class Logger {
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

async function createLogger(name, file) {
  await fs.promises.mkdir(path.dirname(file), { recursive: true });
  return new Logger('', name, file);
}

// One assignment a name: the server imports them as an ES module, and Node finds the names by reading this text.
exports.version = 0;
exports.Logger = Logger;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.createRotatingLogger = createLogger;
exports.createAsyncRotatingLogger = createLogger;
