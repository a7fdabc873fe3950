import { setTimeout as delay } from 'node:timers/promises'
import { SystemError } from '../system/system-error.ts'
import { demoUser } from './demo-user.ts'

/** A slow computer that is busy with demo data may answer late. */
const patienceMs = 60_000

/** Calls control's API as the demo user. */
export interface DemoSession {
  /** @throws SystemError if control refuses the call */
  call<Body>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Body>
}

/** @throws SystemError if no system runs at this address, or if it has no demo user */
export async function signInDemoUser(control: string): Promise<DemoSession> {
  const send = async (method: string, path: string, body: object | undefined, cookie: string): Promise<Response> => {
    const headers = { cookie, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const request = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    try {
      return await fetch(`${control}${path}`, request)
    } catch (cause) {
      throw new SystemError(`Tollgate does not answer at ${control}. Run npm start first.`, { cause })
    }
  }
  const { email, password } = demoUser
  const signIn = () => send('POST', '/api/auth/login', { email, password }, '')
  const deadline = performance.now() + patienceMs
  let login = await signIn()
  while (login.status === 503 && performance.now() < deadline) {
    await delay(1000)
    login = await signIn()
  }
  if (!login.ok) throw new SystemError(`The demo user ${email} cannot sign in: ${await login.text()}`)
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return {
    async call<Body>(method: string, path: string, body?: object): Promise<Body> {
      const answer = await send(method, path, body, cookie)
      if (!answer.ok) throw new SystemError(`${method} ${path} failed: ${await answer.text()}`)
      return (await answer.json()) as Body
    }
  }
}
