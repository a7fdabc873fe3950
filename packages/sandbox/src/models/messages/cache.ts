import { createHash } from 'node:crypto'
import type { Lifetime, Segment } from './segments.ts'

const lifetimesMs: Record<Lifetime, number> = { '5m': 300_000, '1h': 3_600_000 }
const maxEntries = 10_000

/** How the cache serves a prompt. */
export interface CacheUse {
  readonly read: number
  /** Tokens written for 5 minutes. */
  readonly short: number
  /** Tokens written for an hour. */
  readonly long: number
  /** Writes the prompt, and extends what was read. */
  remember(): void
}

/** Cached starts of prompts. Unlike the provider's, it caches prompts of any length, and finds every earlier start. */
export class PromptCache {
  readonly #expiryMs = new Map<string, number>()

  /** Looks a prompt up. A model has its own cache. */
  look(model: string, segments: readonly Segment[], nowMs: number): CacheUse {
    const ends = endsOf(model, segments)
    const marks = ends.filter(({ lifetime }) => lifetime !== null)
    const reach = marks.at(-1)?.tokens ?? 0
    const hit = ends.findLast(({ key, tokens }) => tokens <= reach && (this.#expiryMs.get(key) ?? 0) > nowMs)
    const written = { '5m': 0, '1h': 0 }
    let before = hit?.tokens ?? 0
    for (const { tokens, lifetime } of marks) {
      if (tokens <= before || lifetime === null) continue
      written[lifetime] += tokens - before
      before = tokens
    }
    return {
      read: hit?.tokens ?? 0,
      short: written['5m'],
      long: written['1h'],
      remember: () => {
        for (const { key, lifetime } of marks) this.#write(key, nowMs + lifetimesMs[lifetime ?? '5m'])
      }
    }
  }

  #write(key: string, expiryMs: number): void {
    const current = this.#expiryMs.get(key) ?? 0
    this.#expiryMs.delete(key)
    this.#expiryMs.set(key, Math.max(current, expiryMs))
    const [oldest = ''] = this.#expiryMs.keys()
    if (this.#expiryMs.size > maxEntries) this.#expiryMs.delete(oldest)
  }
}

interface End {
  /** Identifies the prompt from its start to this segment. */
  readonly key: string
  /** Tokens from the start. */
  readonly tokens: number
  readonly lifetime: Lifetime | null
}

function endsOf(model: string, segments: readonly Segment[]): End[] {
  let key = model
  let tokens = 0
  return segments.map((segment) => {
    key = createHash('sha256').update(`${key}\n${segment.content}`).digest('base64')
    tokens += segment.tokens
    return { key, tokens, lifetime: segment.lifetime }
  })
}
