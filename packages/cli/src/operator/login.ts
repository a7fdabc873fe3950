import { UserResponse } from '@tollgate/contracts/http/auth.ts'
import { Value } from 'typebox/value'
import type { CommandIo } from '../commands/command.ts'
import { CommandError } from '../commands/command-error.ts'
import { readPassword } from '../commands/confirm.ts'
import { createCommand } from '../commands/create-command.ts'
import { exitCodes } from '../commands/exit-codes.ts'
import { show } from '../commands/show.ts'
import { controlUrl, isUnprotected } from './control-url.ts'
import { failureOf, parse } from './failure.ts'
import { readCode } from './reauthenticate.ts'
import { send } from './send.ts'
import { readSession, removeSession, sessionPath, writeSession } from './session-file.ts'

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
