/** Two regions that speak: one waits its turn, one interrupts. Everything said goes through here, nothing else in the panel is live. */
import { useEffect, useState } from 'preact/hooks';
import type { Announcement } from './announcements';

export interface Announcer {
  say(announcement: Announcement): void;
  listen(listener: (announcement: Announcement) => void): () => void;
}

export function createAnnouncer(): Announcer {
  const listeners = new Set<(announcement: Announcement) => void>();
  return {
    say: (announcement) => listeners.forEach((listener) => listener(announcement)),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const KEEP = 3;

export function LiveRegions({ announcer }: { readonly announcer: Announcer }) {
  return (
    <>
      <Region announcer={announcer} urgency="polite" />
      <Region announcer={announcer} urgency="assertive" />
    </>
  );
}

function Region({
  announcer,
  urgency,
}: {
  readonly announcer: Announcer;
  readonly urgency: Announcement['urgency'];
}) {
  const [said, setSaid] = useState<readonly { readonly n: number; readonly text: string }[]>([]);
  useEffect(
    () =>
      announcer.listen((announcement) => {
        if (announcement.urgency !== urgency) return;
        // A new element each time: the same words twice are said twice.
        setSaid((before) =>
          [...before, { n: (before.at(-1)?.n ?? 0) + 1, text: announcement.text }].slice(-KEEP),
        );
      }),
    [announcer, urgency],
  );
  return (
    <div class="hidden" aria-live={urgency} aria-relevant="additions" data-live={urgency}>
      {said.map(({ n, text }) => (
        <div key={n}>{text}</div>
      ))}
    </div>
  );
}
