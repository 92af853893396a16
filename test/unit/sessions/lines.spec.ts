import { describe, expect, it } from 'vitest';
import { linesOf, parseLine, readLines, type RawLine } from '../../../extension/sessions/read/lines';
import { memoryDisk } from '../../fakes/memory-disk';
import { plain } from './session-lines';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const parse = (text: string) => parseLine({ line: 1, offset: 0, bytes: encode(text) });
const one = JSON.stringify(plain[0]);
const two = JSON.stringify(plain[1]);

describe('lines of a session file', () => {
  it('end at 0x0A only, so that unicode separators stay inside', () => {
    const text = `{"type":"user","text":"a\u2028b\u2029c\u0085d"}\n{"type":"x"}\n`;
    expect(linesOf(encode(text)).map((line) => parseLine(line).records.length)).toEqual([1, 1]);
  });

  it('are read in pieces without losing any across the seams', async () => {
    const disk = memoryDisk();
    const long = 'ä'.repeat(900_000);
    const lines = [1, 2, 3, 4].map((n) => JSON.stringify({ type: 'user', n, long }));
    disk.put('/s.jsonl', `${lines.join('\n')}\n`);
    const size = disk.bytes('/s.jsonl')?.length ?? 0;
    const read: RawLine[] = [];
    for await (const part of readLines(disk.files, '/s.jsonl', size)) read.push(...part);
    expect(read.map((line) => parseLine(line).records[0]?.['n'])).toEqual([1, 2, 3, 4]);
    expect(read.map((line) => line.line)).toEqual([1, 2, 3, 4]);
    expect(read.at(-1)?.offset).toBe(encode(`${lines.slice(0, 3).join('\n')}\n`).length);
  });

  it.each([
    ['a carriage return at the end', `${one}\r`],
    ['a byte order mark', `\uFEFF${one}`],
    ['NUL bytes in front', `\0\0\0\0${one}`],
    ['NUL bytes behind', `${one}\0\0`],
    ['blanks around', `  ${one}  `],
  ])('are whole in spite of %s', (_, text) => {
    expect(parse(text)).toEqual({ records: [plain[0]] });
  });

  it.each([
    ['an empty line', ''],
    ['blanks', '   \r'],
    ['NUL bytes only', '\0\0\0'],
  ])('are nothing for %s', (_, text) => {
    expect(parse(text)).toEqual({ records: [] });
  });

  it.each([
    ['a number', '42'],
    ['a list', '[1]'],
    ['a string', '"massive error"'],
    ['an object without a type', '{"silly":"this"}'],
    ['a type that is no string', '{"type":7}'],
  ])('are skipped, and it is said, for %s', (_, text) => {
    const { records, skipped } = parse(text);
    expect(records).toEqual([]);
    expect(skipped).toMatchObject({ reason: 'not_a_record', line: 1, offset: 0, saved: 0 });
  });

  it('give all records of a line that holds several', () => {
    for (const text of [one + two, `${one} ${two}`, one + two + one]) {
      const { records, skipped } = parse(text);
      expect(records.length).toBe(text.split('"parentUuid"').length - 1);
      expect(skipped).toMatchObject({ reason: 'glued', saved: records.length });
    }
  });

  it('give the record that was glued to a torn one, wherever that one was cut', () => {
    for (let cut = 1; cut < two.length; cut++) {
      const { records, skipped } = parse(two.slice(0, cut) + one);
      expect(records).toEqual([plain[0]]);
      expect(skipped).toMatchObject({ reason: 'torn', saved: 1 });
    }
  });

  it('never take a part of a torn record for a record', () => {
    for (let cut = 1; cut < two.length; cut++) {
      expect(parse(two.slice(0, cut))).toMatchObject({ records: [], skipped: { reason: 'torn', saved: 0 } });
    }
  });

  it('give a whole record in front of a torn one', () => {
    expect(parse(one + two.slice(0, 50))).toMatchObject({
      records: [plain[0]],
      skipped: { reason: 'torn', saved: 1 },
    });
  });

  it('take bytes that are no UTF-8', () => {
    const bytes = encode('{"type":"user","text":"a?b"}');
    bytes[bytes.indexOf(0x3f)] = 0xff;
    expect(parseLine({ line: 1, offset: 0, bytes }).records).toEqual([{ type: 'user', text: 'a\uFFFDb' }]);
  });

  it('of 20 MB are read, and damaged ones of that length do not take for ever', () => {
    const huge = JSON.stringify({ ...plain[3], data: '{"type":"x"},'.repeat(1_700_000) });
    expect(parse(huge).records.length).toBe(1);
    expect(parse(huge.slice(0, -10) + one)).toMatchObject({ records: [plain[0]] });
    const nested = JSON.stringify({
      ...plain[3],
      list: Array.from({ length: 200_000 }, (_, n) => ({ type: 'text', n })),
    });
    expect(parse(nested.slice(0, -3) + one)).toMatchObject({ records: [plain[0]] });
  });
});
