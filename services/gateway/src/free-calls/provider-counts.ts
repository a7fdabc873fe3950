import { createHash } from 'node:crypto'
import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'
import { callBeside, codeOfCall } from '../upstreams/call-beside.ts'
import { type CountCall, type CountedBody, countCall, countedTokens } from '../upstreams/counters.ts'
import type { Upstream, Upstreams } from '../upstreams/upstreams.ts'
import { countFreeCall } from './count-free-call.ts'

const timeoutMs = 2000
/** Longer prompts would not be counted in time. */
const maxBodyBytes = 8 * 1024 * 1024
/** vLLM answers with the tokens themselves. */
const maxAnswerBytes = 16 * 1024 * 1024
const maxUnderWay = 32
/** A failed count is tried again later. */
const [keptCounts, keptMs, keptFailureMs] = [1000, 600_000, 10_000]
/** For so long an upstream's counter is not asked after it counted less than was billed. */
const distrustMs = 600_000

/** A counted prompt, and the target whose provider counted it. Another model may count it differently. */
export interface ProviderCount {
  readonly tokens: number
  readonly target: Target
}

/** A refused request whose prompt a provider may count. */
export interface CountRequest extends Omit<CountedBody, 'model'> {
  readonly key: KnownKey
  readonly catalog: CatalogView
  readonly route: readonly Target[]
  readonly upstreams: Upstreams
}

/**
 * Asks providers how many tokens a prompt has. That costs nothing, but takes a call, so only requests that would be
 * refused are counted: as many in a minute as a key may make requests that cost nothing, for two seconds each. Equal
 * prompts are counted once.
 */
export class ProviderCounts {
  readonly #redis: RedisLink
  readonly #log: Pick<FastifyBaseLogger, 'warn' | 'error'>
  /** The oldest first. `until`: on the monotonic clock, ms. */
  readonly #counts = new Map<string, { readonly tokens: number | null; readonly until: number }>()
  readonly #underWay = new Map<string, Promise<number | null>>()
  /** By upstream, on the monotonic clock, ms. */
  readonly #distrustedUntil = new Map<string, number>()

  constructor(redis: RedisLink, log: Pick<FastifyBaseLogger, 'warn' | 'error'>) {
    this.#redis = redis
    this.#log = log
  }

  /** Never rejects. @returns null if no provider of the route counted it */
  async count(request: CountRequest): Promise<ProviderCount | null> {
    const { route, upstreams, bytes } = request
    if (bytes.length > maxBodyBytes) return null
    for (const target of route.toSorted((one, other) => one.priority - other.priority)) {
      const upstream = upstreams.get(target.upstream)
      if (upstream?.counter == null || this.#isDistrusted(upstream.name)) continue
      const { counter, baseUrl, credential, models } = upstream
      const own = { baseUrl, credential, headers: models.headers }
      const part = countCall(counter, own, { ...request, model: target.model })
      if (part === null) continue
      const { call, otherBytes } = part
      const prompt = createHash('sha256').update(`${upstream.name} ${call.url} `).update(call.body).digest('base64')
      const tokens = await this.#tokensOf(prompt, request, upstream, call)
      return tokens === null ? null : { tokens: tokens + otherBytes, target }
    }
    return null
  }

  /**
   * Compares a count with what the provider billed. A count that is too low lets requests pass their caps, so its
   * counter is not asked again soon.
   */
  billed({ tokens, target: { upstream } }: ProviderCount, promptTokens: number): void {
    if (promptTokens <= tokens) return
    if (!this.#isDistrusted(upstream)) {
      this.#log.error(
        { upstream, counted: tokens, billed: promptTokens },
        'the provider billed more tokens than it counted: bytes bound its prompts for 10 minutes'
      )
    }
    this.#distrustedUntil.set(upstream, performance.now() + distrustMs)
  }

  #isDistrusted(upstream: string): boolean {
    return (this.#distrustedUntil.get(upstream) ?? 0) > performance.now()
  }

  async #tokensOf(prompt: string, request: CountRequest, upstream: Upstream, call: CountCall): Promise<number | null> {
    const before = this.#countOf(prompt)
    if (before !== undefined) return before
    // A refusal of this key says nothing about the prompt, which another key may ask about.
    if (this.#isFull || !(await this.#mayAsk(request))) return null
    const meanwhile = this.#countOf(prompt)
    if (meanwhile !== undefined) return meanwhile
    if (this.#isFull) return null
    const answer = this.#ask(upstream, call)
    this.#underWay.set(prompt, answer)
    const tokens = await answer
    this.#underWay.delete(prompt)
    this.#keep(prompt, tokens)
    return tokens
  }

  /** @returns undefined for a prompt that was not counted lately, and is not being counted */
  #countOf(prompt: string): Promise<number | null> | number | null | undefined {
    const count = this.#counts.get(prompt)
    return count !== undefined && count.until > performance.now() ? count.tokens : this.#underWay.get(prompt)
  }

  get #isFull(): boolean {
    return this.#underWay.size >= maxUnderWay
  }

  async #mayAsk({ key, catalog }: CountRequest): Promise<boolean> {
    try {
      await countFreeCall(this.#redis, key, catalog)
      return true
    } catch {
      return false
    }
  }

  /** Never rejects. */
  async #ask(upstream: Upstream, call: CountCall): Promise<number | null> {
    let tokens: number | null = null
    /** Why there is no number. */
    let cause: number | string
    try {
      const headers = { ...call.headers, 'content-type': 'application/json' }
      const post = { ...call, method: 'POST', headers, maxBytes: maxAnswerBytes } as const
      const { status, bytes } = await callBeside(upstream.models, post, AbortSignal.timeout(timeoutMs))
      tokens = status === 200 ? countedTokens(upstream.counter!, bytes.toString()) : null
      cause = status
    } catch (error) {
      cause = codeOfCall(error)
    }
    if (tokens === null) this.#log.warn({ upstream: upstream.name, cause }, 'the provider did not count a prompt')
    return tokens
  }

  #keep(prompt: string, tokens: number | null): void {
    this.#counts.delete(prompt)
    this.#counts.set(prompt, { tokens, until: performance.now() + (tokens === null ? keptFailureMs : keptMs) })
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= keptCounts) break
      this.#counts.delete(oldest)
    }
  }
}
