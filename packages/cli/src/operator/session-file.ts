import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { CommandError } from '../commands/command-error.ts'
import { exitCodes } from '../commands/exit-codes.ts'

const StoredSession = Type.Object({
  /** Origin of control. */
  url: Type.String(),
  email: Type.String(),
  /** `name=value`. Whoever has it acts as the operator, so it is never printed. */
  cookie: Type.String()
})
export type StoredSession = Static<typeof StoredSession>

type Env = Readonly<Record<string, string | undefined>>

/** `$XDG_CONFIG_HOME/tollgate/session.json`, or the same below `~/.config`. */
export const sessionPath = (env: Env): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'tollgate', 'session.json')

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

export const removeSession = (env: Env): void => rmSync(sessionPath(env), { force: true })

const signInAgain = (what: string): CommandError =>
  new CommandError(`${what} Run: tollgate login`, { exitCode: exitCodes.notSignedIn })
