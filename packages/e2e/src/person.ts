import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '@supabase/supabase-js'
import type { User } from '@tollgate/contracts/http/auth.ts'
import type { CreatedKey, Key } from '@tollgate/contracts/http/keys.ts'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { open, submit } from '@tollgate/sandbox/payments/pages/test-browser.ts'
import { Redis } from 'ioredis'
import type { TestSystem } from './start-test-system.ts'

export interface Answer<Body> {
  status: number
  body: Body
  headers: Headers
}
export interface Failure {
  error: { message: string; type: string; code: string }
}

let people = 0

/** Longer than any answer of control takes. */
const answerTimeoutMs = 60_000

/** A user who keeps the session cookie and reads mail. */
export class Person {
  readonly email: string
  /**
   * A documentation address (RFC 3849), each in a network of its own. Control uses it if it trusts a proxy on this
   * machine.
   */
  readonly #address = `2001:db8:0:${(++people).toString(16)}::1`
  readonly password = 'correct horse battery staple'
  readonly #system: Pick<TestSystem, 'addresses' | 'secrets'>
  cookie: string | null = null

  /** @param email a new address by default */
  constructor(
    system: Pick<TestSystem, 'addresses' | 'secrets'>,
    name: string,
    email: string = `${name}-${crypto.randomUUID().slice(0, 8)}@example.com`
  ) {
    this.#system = system
    this.email = email
  }

  /** The same session through another replica of control. */
  through(control: string): Person {
    const { addresses, secrets } = this.#system
    const same = new Person({ addresses: { ...addresses, control }, secrets }, 'same')
    same.cookie = this.cookie
    return same
  }

  async call<Body = unknown>(method: string, path: string, body?: object): Promise<Answer<Body>> {
    const response = await fetch(`${this.#system.addresses.control}${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(answerTimeoutMs),
      headers: {
        'x-forwarded-for': this.#address,
        ...(this.cookie === null ? {} : { cookie: this.cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    for (const cookie of response.headers.getSetCookie()) {
      if (cookie.startsWith('svc_session=')) this.cookie = cookie.split(';')[0]!
    }
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as Body }
  }

  register(): Promise<Answer<{ ok: true }>> {
    return this.call('POST', '/api/auth/register', { email: this.email, password: this.password, name: 'Ada' })
  }

  /** Opens the link in the confirmation mail and enters the password. This signs in. */
  async confirm(more: { password?: string; set?: boolean } = {}): Promise<Answer<{ user: User } | Failure>> {
    const link = linkIn(await latestMail(this.#system.addresses.mailbox!, this.email))
    const { headers } = await fetch(link, { redirect: 'manual' })
    const fragment = new URLSearchParams(headers.get('location')?.split('#')[1] ?? '')
    const { token_hash, type, access_token } = Object.fromEntries(fragment)
    // Links in the provider's default mails carry a session instead of a token.
    const proof = access_token === undefined ? { token_hash, type } : { access_token }
    return this.call('POST', '/api/auth/confirm', { ...proof, password: this.password, ...more })
  }

  login(): Promise<Answer<{ user: User }>> {
    return this.call('POST', '/api/auth/login', { email: this.email, password: this.password })
  }

  me(): Promise<Answer<{ user: User }>> {
    return this.call('GET', '/api/auth/me')
  }

  createKey(label: string): Promise<Answer<{ key: CreatedKey }>> {
    return this.call('POST', '/api/keys', { label })
  }

  listKeys(): Promise<Answer<{ keys: Key[] }>> {
    return this.call('GET', '/api/keys')
  }

  revokeKey(id: string): Promise<Answer<{ ok: true } | Failure>> {
    return this.call('DELETE', `/api/keys/${id}`)
  }

  /** Registers, confirms and signs in. An operator sets the plan at the identity provider, if given. */
  async join(plan?: string): Promise<this> {
    const registered = await this.register()
    if (registered.status >= 400) throw new Error(`registration answered ${registered.status}`)
    // The plan is set before control knows the user. Later, control writes its own plan to the provider.
    if (plan !== undefined) await this.#setAppMetadata({ plan })
    const confirmed = await this.confirm()
    if (confirmed.status !== 200) throw new Error(`confirmation answered ${confirmed.status}`)
    const { status, body } = await this.login()
    if (status !== 200) throw new Error(`sign-in answered ${status}: ${JSON.stringify(body)}`)
    return this
  }

  /** Registers, confirms and signs in as an operator. */
  async joinAsOperator(): Promise<this> {
    await this.join()
    await this.#setAppMetadata({ role: 'operator' })
    const { status } = await this.login()
    if (status !== 200) throw new Error(`an operator's sign-in answered ${status}`)
    return this
  }

  async #setAppMetadata(metadata: object): Promise<void> {
    const { identity } = this.#system.addresses
    const { auth } = createClient(identity, this.#system.secrets.serviceRoleKey, { auth: { persistSession: false } })
    const { data } = await auth.admin.listUsers({ perPage: 1000 })
    const user = data.users.find(({ email }) => email === this.email)
    const { error } = await auth.admin.updateUserById(user!.id, { app_metadata: metadata })
    if (error !== null) throw error
  }
}

/** Pays with a card in the checkout page. @returns the page after it */
export async function payByCard(person: Person, price: string, number = '4242 4242 4242 4242') {
  const { status, body } = await person.call<{ url: string }>('POST', '/api/billing/checkout', { price_id: price })
  if (status !== 200) throw new Error(`checkout answered ${status}: ${JSON.stringify(body)}`)
  return submit(await open(body.url), { number, expiry: '12 / 40', cvc: '123', name: 'Ada Lovelace' })
}

/** Runs `work` while Redis lets nobody publish or subscribe. Afterwards waits until all have subscribed again. */
export async function withoutNotices({ addresses }: TestSystem, work: () => Promise<void>): Promise<void> {
  const redis = new Redis(addresses.redis)
  const subscribers = async () => {
    const channels = (await redis.pubsub('CHANNELS')) as string[]
    return channels.length === 0 ? '' : String(await redis.pubsub('NUMSUB', ...channels.toSorted()))
  }
  const before = await subscribers()
  try {
    await redis.call('ACL', 'SETUSER', 'default', 'resetchannels')
    try {
      await work()
    } finally {
      await redis.call('ACL', 'SETUSER', 'default', 'allchannels')
    }
    // A client whose subscription was refused tries again when it connects again.
    const clients = String(await redis.client('LIST')).split('\n')
    const refused = clients.filter((line) => line.includes(' cmd=subscribe ') && line.includes(' sub=0 '))
    for (const line of refused) await redis.client('KILL', 'ID', /\bid=(\d+)/.exec(line)![1]!)
    while ((await subscribers()) !== before) await delay(20)
  } finally {
    redis.disconnect()
  }
}
