import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import type { ChaosSystem, GatewayReplica } from '../system/chaos-system.ts'
import { type SeededAccount, seedAccounts, untilProjected } from '../system/seed.ts'
import { questionTo, rawAsk, type Sent } from '../traffic/send-steadily.ts'

/** Tokens of a large prompt. It has five times as many bytes. */
const largeTokens = 3000

const words = 'word '.repeat(largeTokens)

/** Pays for two large prompts by their tokens, and for none by its bytes. */
const capNanos = 2.5 * largeTokens * 1000

/** Pays for none, and for a small one. */
const poorNanos = 0.5 * largeTokens * 1000

const projectedTimeoutMs = 60_000

/** What the counter answers instead of the right number. All but `one` are no number of tokens that could be right. */
export const oddCounts = [
  'hang',
  'drip',
  'reset',
  'error',
  'html',
  'text',
  'fraction',
  'negative',
  'zero',
  'one'
] as const

/** The calls of the counter. @param fromMs since the epoch */
export const countsSince = ({ models }: ChaosSystem, fromMs: number): RecordedRequest[] =>
  models.requests().filter(({ endpoint, startedAtMs }) => endpoint.endsWith('/input_tokens') && startedAtMs >= fromMs)

export type OddCount = (typeof oddCounts)[number]

export interface CountedAnswer extends Sent {
  /** Whether a refusal says that it counts bytes as tokens. */
  readonly isByBytes: boolean
  /** Whether the answer is the refusal for a prompt whose bytes cost more than the account's budget. */
  readonly isRefusedByBytes: boolean
}

/** An account whose budget pays for large prompts only by their tokens. */
export interface CountingAccount {
  readonly id: string
  readonly capNanos: number
  /** @param options.text makes prompts equal; different ones by default */
  askLarge(gateway: GatewayReplica, odd: OddCount | null, options?: { text: string }): Promise<CountedAnswer>
  /** Asks what fits by its bytes, too. */
  askSmall(gateway: GatewayReplica): Promise<CountedAnswer>
}

export interface CountingAccounts {
  readonly able: CountingAccount[]
  /** Their budgets pay for no large prompt at all. */
  readonly poor: CountingAccount
  /** Of the plan `limited`. */
  readonly limited: CountingAccount
}

/** @param count of accounts whose budgets pay for large prompts */
export async function countingAccounts({ sql, link }: ChaosSystem, count: number): Promise<CountingAccounts> {
  const able = await seedAccounts(sql, { count, keysEach: 1, ownCapNanos: capNanos })
  const [poor] = await seedAccounts(sql, { count: 1, keysEach: 1, ownCapNanos: poorNanos })
  const [limited] = await seedAccounts(sql, { count: 1, keysEach: 1, ownCapNanos: poorNanos, plan: 'limited' })
  await untilProjected(sql, link, projectedTimeoutMs)
  return {
    able: able.map((account) => countingAccount(account, capNanos)),
    poor: countingAccount(poor!, poorNanos),
    limited: countingAccount(limited!, poorNanos)
  }
}

function countingAccount({ id, keys }: SeededAccount, ownCapNanos: number): CountingAccount {
  async function ask({ url }: GatewayReplica, text: string): Promise<CountedAnswer> {
    const body = questionTo('responses', { model: 'counted', stream: false, maxTokens: 16, text })
    const answer = await rawAsk(url, keys[0]!, 'responses', body)
    const { outcome, refusal } = answer
    const isByBytes = /Each byte of the prompt counts as a token/.test(refusal?.message ?? '')
    const neededNanos = Math.round(Number(refusal?.needed_usd) * 1e9)
    const isRefusedByBytes =
      outcome === '402 monthly_budget_exceeded' && isByBytes && neededNanos >= Buffer.byteLength(text) * 1000
    return { ...answer, isByBytes, isRefusedByBytes }
  }

  return {
    id,
    capNanos: ownCapNanos,
    askLarge(gateway, odd, { text } = { text: crypto.randomUUID() }) {
      const marker = odd === null ? '' : `[sandbox+odd-count=${odd}] `
      return ask(gateway, `${marker}${text} ${words}`)
    },
    askSmall: (gateway) => ask(gateway, 'Say 2 words.')
  }
}
