import { ErrorResponse } from '@tollgate/contracts/http/error.ts'
import { version } from '@tollgate/service/workspace.ts'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { CommandError, type ExitCode, exitCodes, UsageError } from '../commands/command.ts'

const exitCodeOf: Readonly<Record<string, ExitCode>> = {
  not_authenticated: exitCodes.notSignedIn,
  sign_in_again: exitCodes.notSignedIn,
  change_pending: exitCodes.pending
}

/** What to type next, where the API's message cannot know that it is read in a terminal. */
const hints: Readonly<Record<string, string>> = {
  not_authenticated: 'Run: tollgate login',
  sign_in_again: 'Run: tollgate login',
  wrong_password: 'If TOLLGATE_PASSWORD is set, correct it.'
}

/** Longer than control takes for any answer except a stream. */
const timeoutMs = 60_000

export interface SendOptions {
  readonly cookie?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent as JSON. */
  readonly body?: object | undefined
}

/** An answer with its whole body. */
export interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Sends a request to control.
 *
 * @param url origin of control
 * @param path with its query
 * @throws CommandError if control does not answer, or redirects
 */
export async function send(url: string, method: string, path: string, options: SendOptions = {}): Promise<Answer> {
  const { answer, result } = await exchange(url, method, path, options, (response) => response.text())
  return { ok: answer.ok, status: answer.status, headers: answer.headers, text: result }
}

/** As {@link send}, for an answer of any length: its body is not read yet, and may take as long as it needs. */
export async function openStream(
  url: string,
  method: string,
  path: string,
  options: SendOptions = {}
): Promise<Response> {
  return (await exchange(url, method, path, options, async () => null)).answer
}

async function exchange<Result>(
  url: string,
  method: string,
  path: string,
  { cookie, headers: more, body }: SendOptions,
  read: (answer: Response) => Promise<Result>
): Promise<{ answer: Response; result: Result }> {
  const headers = {
    ...more,
    'user-agent': `tollgate/${version}`,
    ...(cookie !== undefined && { cookie }),
    ...(body !== undefined && { 'content-type': 'application/json' })
  }
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  // The cookie must not follow a redirection to another server.
  const request = { method, headers, redirect: 'manual' as const, signal: controller.signal }
  let answer: Response
  let result: Result
  try {
    answer = await fetch(`${url}${path}`, { ...request, ...(body !== undefined && { body: JSON.stringify(body) }) })
    result = await read(answer)
  } catch (cause) {
    throw new CommandError(`Control does not answer at ${url} (${reasonOf(cause)}). Start it, or set TOLLGATE_URL.`, {
      exitCode: exitCodes.unreachable,
      cause
    })
  } finally {
    clearTimeout(timer)
  }
  if (answer.status >= 300 && answer.status < 400) {
    const to = answer.headers.get('location')
    throw new CommandError(`${url} redirects to ${to}. Sign in at that address: tollgate login --url URL`, {
      exitCode: exitCodes.unreachable
    })
  }
  return { answer, result }
}

function reasonOf(error: unknown): string {
  const { cause, name, message } = error as Error
  if (name === 'AbortError') return `no answer within ${timeoutMs / 1000} s`
  const { code } = (cause ?? {}) as NodeJS.ErrnoException
  return code ?? ((cause as Error | undefined)?.message || message)
}

/**
 * The address of control: the given one, else `TOLLGATE_URL`, else `PUBLIC_URL`, else where `npm start` serves.
 *
 * @throws UsageError if it is no http(s) URL
 */
export function controlUrl(option: string | null, env: Readonly<Record<string, string | undefined>>): string {
  const text = option || env.TOLLGATE_URL || env.PUBLIC_URL || `http://localhost:${env.CONTROL_PORT || 3000}`
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new UsageError(`"${text}" is not the address of control. It begins with https:// or http://.`)
  }
  return new URL(text).origin
}

/** Whether a password sent to the address could be read on its way. */
export function isUnprotected(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/** @returns the error of a failed answer, as the command's error */
export function failureOf(url: string, status: number, text: string): CommandError {
  const body = parse(text)
  if (!Value.Check(ErrorResponse, body)) {
    return new CommandError(
      `${url} answered ${status}, but not as control does. Check the address: tollgate login --url URL`,
      { exitCode: exitCodes.unreachable }
    )
  }
  const { message, code } = body.error
  const hint = hints[code]
  return new CommandError(hint === undefined ? message : `${message} ${hint}`, {
    code,
    exitCode: exitCodeOf[code] ?? exitCodes.failed
  })
}

/** @returns the JSON of a text; undefined for other texts */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads a successful answer, checked against its schema. @throws CommandError for one of another release */
export function readAnswer<Schema extends TSchema>(schema: Schema, text: string): Static<Schema> {
  const parsed = parse(text)
  if (Value.Check(schema, parsed)) return parsed as Static<Schema>
  throw new CommandError(
    'Control’s answer has an unknown form. Use the tollgate command of the release that control runs.'
  )
}
