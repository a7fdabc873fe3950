import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { UserResponse } from '@tollgate/contracts/http/auth.ts'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { CommandError, type CommandIo, exitCodes } from '../commands/command.ts'
import { createCommand, readPassword, show } from '../commands/create-command.ts'
import { controlUrl, failureOf, isUnprotected, parse, send } from './control-api.ts'

const StoredSession = Type.Object({
  /** Origin of control. */
  url: Type.String(),
  email: Type.String(),
  /** `name=value`. Whoever has it acts as the operator, so it is never printed. */
  cookie: Type.String()
})

/** `$XDG_CONFIG_HOME/tollgate/session.json`, or the same below `~/.config`. */
export const sessionPath = (env: Env): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'tollgate', 'session.json')

const removeSession = (env: Env): void => rmSync(sessionPath(env), { force: true })

const signInAgain = (what: string): CommandError =>
  new CommandError(`${what} Run: tollgate login`, { exitCode: exitCodes.notSignedIn })

/** Asks for the code of a second factor. */
const readCode = async (io: Pick<CommandIo, 'ask'>): Promise<string> =>
  (await io.ask('Code of your authenticator app: ')).replaceAll(/\s/g, '')

const sessionCookie = 'svc_session'

export const login = createCommand('login', 'sign in as an operator', [
  {
    name: '',
    summary: 'Signs in, and stores the session in a file that only you can read. It is valid for 12 hours.',
    options: {
      url: {
        value: 'URL',
        text: 'address of control; default: TOLLGATE_URL, PUBLIC_URL of .env, or http://localhost:3000'
      },
      email: { value: 'ADDRESS', text: 'your address; default: TOLLGATE_EMAIL, or it asks' }
    },
    async run(input, io) {
      const url = controlUrl(input.text('url'), io.env)
      if (isUnprotected(url))
        io.err(`Warning: ${url} is not encrypted. Others on the network can read your password.\n`)
      const email = input.text('email') || io.env.TOLLGATE_EMAIL || (await io.ask('Your address: ')).trim()
      const password = await readPassword(io)
      const { user, cookie } = await signIn(io, url, email, password)
      if (user.role !== 'operator') {
        await send(url, 'POST', '/api/auth/signout', { cookie })
        throw new CommandError(
          `${email} is not an operator. Set app_metadata.role to "operator" at the identity provider.`,
          { exitCode: exitCodes.notSignedIn }
        )
      }
      writeSession(io.env, { url, email, cookie })
      show(
        input,
        io,
        { url, email },
        () => `Signed in to ${url} as ${email}. The session is in ${sessionPath(io.env)}.`
      )
      return exitCodes.done
    }
  }
])

/** Signs in, and asks for the code of a second factor if there is one. */
async function signIn(io: CommandIo, url: string, email: string, password: string) {
  let code: string | undefined
  for (;;) {
    const body = { email, password, ...(code !== undefined && { code }) }
    const answer = await send(url, 'POST', '/api/auth/login', { body })
    const { text } = answer
    if (answer.ok) {
      const parsed = parse(text)
      const cookie = answer.headers.getSetCookie().find((one) => one.startsWith(`${sessionCookie}=`))
      if (!Value.Check(UserResponse, parsed) || cookie === undefined) throw failureOf(url, answer.status, text)
      return { user: parsed.user, cookie: cookie.split(';')[0]! }
    }
    const failure = failureOf(url, answer.status, text)
    if (failure.code !== 'second_factor_required' || code !== undefined) throw failure
    code = await readCode(io)
  }
}

export const logout = createCommand('logout', 'end the session', [
  {
    name: '',
    summary: 'Ends the session at control, and removes the file.',
    async run(input, io) {
      const session = readSession(io.env)
      if (session === null) {
        show(input, io, { signed_out: false }, () => 'You were not signed in.')
        return exitCodes.done
      }
      try {
        const answer = await send(session.url, 'POST', '/api/auth/signout', { cookie: session.cookie })
        if (!answer.ok) throw failureOf(session.url, answer.status, answer.text)
      } finally {
        removeSession(io.env)
      }
      show(input, io, { signed_out: true }, () => `Signed out of ${session.url}.`)
      return exitCodes.done
    }
  }
])

/**
 * Confirms to control that the operator of a session is here: by the password, and by the code of a second factor if
 * there is one. It counts for 10 minutes.
 *
 * @throws CommandError if control refuses
 */
export async function reauthenticate(io: CommandIo, { url, cookie }: StoredSession): Promise<void> {
  const password = await readPassword(io)
  let code: string | undefined
  for (;;) {
    const body = { password, ...(code !== undefined && { code }) }
    const answer = await send(url, 'POST', '/api/auth/reauthenticate', { cookie, body })
    if (answer.ok) return
    const failure = failureOf(url, answer.status, answer.text)
    if (failure.code !== 'second_factor_required' || code !== undefined) throw failure
    code = await readCode(io)
  }
}

export type StoredSession = Static<typeof StoredSession>
type Env = Readonly<Record<string, string | undefined>>

/**
 * @returns null without a session
 * @throws CommandError if others can read the file, or if it has another form
 */
export function readSession(env: Env): StoredSession | null {
  const path = sessionPath(env)
  let text: string
  try {
    if ((statSync(path).mode & 0o077) !== 0) throw signInAgain(`Others can read ${path}, so its session is not used.`)
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    const session: unknown = JSON.parse(text)
    if (Value.Check(StoredSession, session)) return session
  } catch {
    // Not JSON: the same answer as for another form.
  }
  throw signInAgain(`${path} cannot be read.`)
}

/** Stores the session so that only this user can read it. It replaces an earlier one at once. */
export function writeSession(env: Env, session: StoredSession): void {
  const path = sessionPath(env)
  const directory = dirname(path)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
  const fresh = `${path}.${process.pid}`
  rmSync(fresh, { force: true })
  writeFileSync(fresh, `${JSON.stringify(session)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(fresh, path)
}
