/** Messages of the protocol over a channel that carries lines. */
import { parseMessage } from './rpc';
import type { Channel } from './rpc';

export interface LineChannel {
  open(receive: (line: string) => void, closed: (why: string) => void): Promise<void>;
  send(line: string): Promise<void>;
  close(): Promise<void>;
}

/** Programs print to their standard output what belongs elsewhere; it is logged. */
export function overLines(lines: LineChannel, log: (line: string) => void): Channel {
  return {
    open: (receive, closed) =>
      lines.open((line) => {
        try {
          receive(parseMessage(line));
        } catch {
          log(line);
        }
      }, closed),
    send: (message) => lines.send(JSON.stringify(message)),
    close: () => lines.close(),
  };
}
