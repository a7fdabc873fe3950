import { type Answer, type Call, expectStatus } from './call-control.ts'

/** The cookies of one browser. */
export interface Browser {
  /** The `Cookie` header. */
  cookies(): string
  get(path: string): Promise<Answer>
  post(path: string, body: unknown): Promise<Answer>
}

export function newBrowser(call: Call): Browser {
  const jar = new Map<string, string>()
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const send = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const answer = await call(method, path, { cookie: cookies(), ...(body !== undefined && { body }) })
    for (const cookie of answer.cookies) {
      const [pair = '', ...attributes] = cookie.split('; ')
      const at = pair.indexOf('=')
      if (attributes.includes('Max-Age=0')) jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return answer
  }
  return { cookies, get: (path) => send('GET', path), post: (path, body) => send('POST', path, body) }
}

export const locationOf = ({ headers }: Answer): string => String(headers.location)

/** Opens the provider's page and fills in its form. @returns path and query of control's callback, not opened yet */
export async function visitProvider(
  browser: Browser,
  form: Record<string, string>,
  { next, provider = 'github' }: { next?: string; provider?: string } = {}
): Promise<string> {
  const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`
  const started = await expectStatus(browser.get(`/api/auth/providers/${provider}${query}`), 303)
  const page = await fetch(locationOf(started), {
    method: 'POST',
    body: new URLSearchParams(form),
    redirect: 'manual'
  })
  const back = new URL(page.headers.get('location') ?? '')
  return back.pathname + back.search
}
