import { UserResponse } from '@tollgate/contracts/http/auth.ts'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { CommandError, type CommandIo, exitCodes } from '../commands/command.ts'
import { controlUrl, failureOf, openStream, parse, readAnswer, send } from './control-api.ts'
import { readSession, reauthenticate, type StoredSession } from './login.ts'

export type Query = Readonly<Record<string, string | null | undefined>>

/**
 * Calls control's admin API as the operator who signed in. It asks for the password when control wants a confirmation.
 */
export interface AdminClient {
  /**
   * @param path below `/api/admin`
   * @returns the answer, checked against its schema
   * @throws CommandError
   */
  call<Schema extends TSchema>(
    schema: Schema,
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    options?: { query?: Query; body?: object }
  ): Promise<Static<Schema>>
  /** The text of a streamed answer, in parts. @throws CommandError, also if the stream ends too early */
  stream(path: string, query: Query): AsyncGenerator<string>
}

/** @throws CommandError without a session */
export function createAdminClient(io: CommandIo): AdminClient {
  const session = requireSession(io.env)
  const { url, cookie } = session
  if (io.env.TOLLGATE_URL && controlUrl(null, io.env) !== url) {
    throw new CommandError(
      `You are signed in at ${url}, but TOLLGATE_URL is ${controlUrl(null, io.env)}. Unset it, or run: tollgate login`,
      { exitCode: exitCodes.notSignedIn }
    )
  }
  /** Runs a call. If control wants the operator's password first, it asks for that, and runs the call again. */
  async function confirming<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof CommandError) || error.code !== 'confirmation_required') throw error
      await reauthenticate(io, session)
      return run()
    }
  }
  return {
    async call(schema, method, path, { query = {}, body } = {}) {
      const answer = await confirming(async () => {
        const answer = await send(url, method, adminPath(path, query), { cookie, body })
        if (!answer.ok) throw await explain(session, failureOf(url, answer.status, answer.text))
        return answer
      })
      return readAnswer(schema, answer.text)
    },
    async *stream(path, query) {
      const answer = await confirming(async () => {
        const answer = await openStream(url, 'GET', adminPath(path, query), { cookie })
        if (!answer.ok) throw await explain(session, failureOf(url, answer.status, await answer.text()))
        return answer
      })
      const decoder = new TextDecoder()
      try {
        for await (const part of answer.body ?? []) yield decoder.decode(part, { stream: true })
      } catch (cause) {
        throw new CommandError('The connection to control broke, so the export is incomplete. Run it again.', { cause })
      }
      yield decoder.decode()
    }
  }
}

/** @throws CommandError without a session */
function requireSession(env: CommandIo['env']): StoredSession {
  const session = readSession(env)
  if (session === null) {
    throw new CommandError('You are not signed in. Run: tollgate login', { exitCode: exitCodes.notSignedIn })
  }
  return session
}

function adminPath(path: string, query: Query): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => entry[1] != null)
  const text = new URLSearchParams(entries).toString()
  return `/api/admin${path}${text === '' ? '' : `?${text}`}`
}

/** For everybody but operators the admin API does not exist: a 404 may mean that the session ended. */
async function explain({ url, cookie, email }: StoredSession, failure: CommandError): Promise<CommandError> {
  if (failure.code !== 'not_found') return failure
  const me = await send(url, 'GET', '/api/auth/me', { cookie })
  const exitCode = exitCodes.notSignedIn
  if (me.status === 401) {
    return new CommandError('Your session has ended. Run: tollgate login', { exitCode, code: 'not_authenticated' })
  }
  const body = parse(me.text)
  if (Value.Check(UserResponse, body) && body.user.role === 'operator') return failure
  return new CommandError(`${email} is not an operator. Run: tollgate login --email with an operator’s address`, {
    exitCode,
    code: 'not_found'
  })
}
