import { version } from '@tollgate/service/version.ts'
import { CommandError } from '../commands/command-error.ts'
import { exitCodes } from '../commands/exit-codes.ts'

/** Longer than control takes for any answer except a stream. */
const timeoutMs = 60_000

export interface SendOptions {
  readonly cookie?: string | undefined
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
  { cookie, body }: SendOptions,
  read: (answer: Response) => Promise<Result>
): Promise<{ answer: Response; result: Result }> {
  const headers = {
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
