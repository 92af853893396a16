/** Output of programs as plain text for the model: without colours, cursor movements and other control sequences. */

const CONTROL_SEQUENCES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

export function plainText(output: string): string {
  return output.includes('\u001b') ? output.replace(CONTROL_SEQUENCES, '') : output;
}

/** The last part of a text, from a line start where one is near. */
export function tailOf(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const from = text.length - chars;
  const lineStart = text.indexOf('\n', from);
  return text.slice(lineStart !== -1 && lineStart < from + 200 ? lineStart + 1 : from);
}
