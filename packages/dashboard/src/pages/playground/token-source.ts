import { isCode } from '../../api/api-error.ts'

/** A secret for one call of the gateway. */
export interface TokenSource {
  /** @throws ApiError of the call for a token */
  get(): Promise<string>
  /** Forgets a token that a gateway refused. @returns whether the next one may be accepted */
  drop(token: string): boolean
}

export interface Issued {
  readonly value: string
  /** Seconds until it expires. */
  readonly expires_in: number
}

/** A token that has less time left is replaced before a call. */
const minLeftMs = 60_000

/**
 * Keeps a token in memory, and asks for another before it ends. Calls at the same time wait for one token.
 *
 * @param ask calls control
 * @param now milliseconds of a clock that never goes back
 */
export function createTokenSource(ask: () => Promise<Issued>, now: () => number): TokenSource {
  let present: { readonly value: string; readonly endsAt: number } | null = null
  let asking: Promise<string> | null = null
  async function renew(): Promise<string> {
    const askedAt = now()
    const { value, expires_in } = await ask()
    present = { value, endsAt: askedAt + expires_in * 1000 }
    return value
  }
  return {
    get() {
      if (present !== null && present.endsAt - now() >= minLeftMs) return Promise.resolve(present.value)
      asking ??= renew().finally(() => {
        asking = null
      })
      return asking
    },
    drop(token) {
      if (present?.value === token) present = null
      return true
    }
  }
}

/** Always the same key. If a gateway refuses it, there is no other. */
export const fixedKey = (key: string): TokenSource => ({ get: async () => key, drop: () => false })

const isRefused = (error: unknown): boolean =>
  ['invalid_api_key', 'revoked_api_key', 'expired_api_key'].some((code) => isCode(error, code))

/**
 * Calls a gateway. If it refuses the token, as after a sign-in elsewhere, the call is repeated once with another one.
 */
export async function withToken<Result>(source: TokenSource, run: (token: string) => Promise<Result>): Promise<Result> {
  const token = await source.get()
  try {
    return await run(token)
  } catch (error) {
    if (!isRefused(error) || !source.drop(token)) throw error
    return await run(await source.get())
  }
}

/** A key that was just created, for the playground to try. */
export interface HandedOverKey {
  readonly secret: string
  readonly label: string
  /** The models that it may call; null for all of the plan. */
  readonly models: readonly string[] | null
}

let handedOver: HandedOverKey | null = null

/**
 * Hands a new key over to the playground, which is opened next. Only memory has it: an address or a history entry would
 * keep it.
 */
export function handOverKey(key: HandedOverKey): void {
  handedOver = key
}

/** The key that was handed over; null without one. React may render a page twice, so reading keeps it. */
export const handedOverKey = (): HandedOverKey | null => handedOver

/** Forgets the key, so that a later visit of the playground starts without it. */
export function forgetHandedOverKey(): void {
  handedOver = null
}
