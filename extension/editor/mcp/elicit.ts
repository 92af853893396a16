/** A question of an MCP server, put to the person in VS Code's own boxes. It says who asks, and an address is shown before it is opened. */
import * as vscode from 'vscode';
import type { Elicitation, ElicitationAnswer } from '../../mcp/model';

type Values = Record<string, string | number | boolean | string[]>;

interface Field {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly required: boolean;
}

const MOST_FIELDS = 20;

export async function askForServer(
  server: string,
  question: Elicitation,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const cancel = new vscode.CancellationTokenSource();
  const stop = (): void => cancel.cancel();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return question.type === 'url'
      ? await openAddress(server, question)
      : await fillForm(server, question, cancel.token);
  } finally {
    signal.removeEventListener('abort', stop);
    cancel.dispose();
  }
}

async function openAddress(
  server: string,
  { message, url }: Extract<Elicitation, { readonly type: 'url' }>,
): Promise<ElicitationAnswer> {
  const address = URL.parse(url);
  // Anything else could start a program.
  if (address === null || !/^https?:$/.test(address.protocol)) return { action: 'decline' };
  const open = vscode.l10n.t('Open in Browser');
  const decline = vscode.l10n.t('Decline');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('The MCP server {0} wants you to open {1}', server, address.href),
    { modal: true, detail: message.slice(0, 1_000) },
    open,
    decline,
  );
  if (answer === decline) return { action: 'decline' };
  if (answer !== open) return { action: 'cancel' };
  return (await vscode.env.openExternal(vscode.Uri.parse(address.href, true)))
    ? { action: 'accept' }
    : { action: 'cancel' };
}

async function fillForm(
  server: string,
  { message, schema }: Extract<Elicitation, { readonly type: 'form' }>,
  token: vscode.CancellationToken,
): Promise<ElicitationAnswer> {
  const answerIt = vscode.l10n.t('Answer…');
  const decline = vscode.l10n.t('Decline');
  const said = await vscode.window.showInformationMessage(
    vscode.l10n.t('The MCP server {0} asks: {1}', server, message.slice(0, 1_000)),
    answerIt,
    decline,
  );
  if (token.isCancellationRequested || said === undefined) return { action: 'cancel' };
  if (said === decline) return { action: 'decline' };
  const values: Values = {};
  const fields = fieldsOf(schema);
  for (const [at, field] of fields.entries()) {
    const title = `${vscode.l10n.t('MCP Server {0}', server)} (${String(at + 1)}/${String(fields.length)})`;
    const value = await askField(title, field, token);
    if (value === undefined) return { action: 'cancel' };
    if (value !== '' || field.required) values[field.key] = value;
  }
  return { action: 'accept', content: values };
}

function fieldsOf(schema: Readonly<Record<string, unknown>>): readonly Field[] {
  const { properties, required } = schema;
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(record(properties))
    .slice(0, MOST_FIELDS)
    .map(([key, value]) => {
      const one = record(value);
      return {
        key,
        title: text(one['title']) || key,
        description: text(one['description']),
        schema: one,
        required: needed.includes(key),
      };
    });
}

async function askField(
  title: string,
  { title: name, description, schema, required }: Field,
  token: vscode.CancellationToken,
): Promise<string | number | boolean | string[] | undefined> {
  const placeHolder = description === '' ? name : `${name}: ${description}`;
  if (schema['type'] === 'boolean') {
    const yes = vscode.l10n.t('Yes');
    const picked = await vscode.window.showQuickPick(
      [yes, vscode.l10n.t('No')],
      { title, placeHolder },
      token,
    );
    return picked === undefined ? undefined : picked === yes;
  }
  if (schema['type'] === 'array') {
    const items = choicesOf(record(schema['items']));
    const picked = await vscode.window.showQuickPick(items, { title, placeHolder, canPickMany: true }, token);
    return picked?.map(({ value }) => value);
  }
  const choices = choicesOf(schema);
  if (choices.length > 0)
    return (await vscode.window.showQuickPick(choices, { title, placeHolder }, token))?.value;
  const numeric = schema['type'] === 'number' || schema['type'] === 'integer';
  const typed = await vscode.window.showInputBox(
    {
      title,
      prompt: placeHolder,
      value: text(schema['default']),
      ignoreFocusOut: true,
      validateInput: (value) => problemOf(value, schema, required),
    },
    token,
  );
  return numeric && typed !== undefined && typed !== '' ? Number(typed) : typed;
}

function choicesOf(schema: Readonly<Record<string, unknown>>): { label: string; value: string }[] {
  const { enum: values, enumNames, oneOf, anyOf } = schema;
  if (Array.isArray(values)) {
    const names = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, at) => ({ label: text(names[at]) || String(value), value: String(value) }));
  }
  const titled = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  return titled
    .map(record)
    .map((one) => ({ label: text(one['title']) || text(one['const']), value: text(one['const']) }));
}

function problemOf(
  value: string,
  { type, minLength, maxLength, minimum, maximum }: Readonly<Record<string, unknown>>,
  required: boolean,
): string | undefined {
  if (value === '') return required ? vscode.l10n.t('A value is needed.') : undefined;
  if (type === 'number' || type === 'integer') {
    const number = Number(value);
    if (Number.isNaN(number) || (type === 'integer' && !Number.isInteger(number)))
      return vscode.l10n.t('A number is needed.');
    if (
      (typeof minimum === 'number' && number < minimum) ||
      (typeof maximum === 'number' && number > maximum)
    )
      return vscode.l10n.t('It must be from {0} to {1}.', bound(minimum), bound(maximum));
    return undefined;
  }
  if (typeof minLength === 'number' && value.length < minLength)
    return vscode.l10n.t('At least {0} characters.', minLength);
  if (typeof maxLength === 'number' && value.length > maxLength)
    return vscode.l10n.t('At most {0} characters.', maxLength);
  return undefined;
}

function bound(value: unknown): string {
  return typeof value === 'number' ? String(value) : '…';
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
