/** What people type, and the words that the pages have for it. A word may be several, such as `log in`. */
const table: ReadonlyArray<readonly [typed: string, ours: string]> = [
  [
    'gdpr, privacy, data retention, retention, logging, logs, training, hipaa, stored',
    'data, privacy, request log, stored'
  ],
  ['uptime, sla, outage, downtime, incident, availability, reliability, latency', 'status'],
  ['cancel, cancellation, unsubscribe, refund, money back, downgrade', 'cancel, billing'],
  ['invoice, receipt, vat, tax, bill, payment, card, checkout, subscription', 'pay, payment, billing, invoice'],
  ['free, free tier, trial, try, gratis, no card', 'free plan'],
  ['cost, costs, price, prices, fee, fees, cheap, cheapest, expensive, rates', 'pricing, cost, price, prices'],
  ['subscribe, upgrade, plan', 'plans, pricing'],
  ['limit, quota, rate limit, ratelimit, throttle, throttling, rpm, tpm, 429', 'limits'],
  ['cap, spend, spending, overage, hard limit', 'budget'],
  ['token, secret, credentials, apikey, authentication', 'key'],
  ['function, functions, function call, function calling, tool, tool use, tool calling', 'tool calls'],
  ['structured, structured output, structured outputs, json mode, json schema, schema', 'json'],
  ['sse, server-sent events', 'streaming'],
  ['vision, image, picture, photo, multimodal', 'images'],
  ['vector, vectors, rag, semantic search', 'embeddings'],
  ['cache, cached, caching', 'prompt caching'],
  ['claude', 'anthropic'],
  ['anthropic', 'claude'],
  ['team, seats, seat, members, colleagues, organization, workspace, users', 'team, seat, member, invitation'],
  ['sso, login, log in, signin, oauth, saml', 'sign in, login'],
  ['2fa, mfa, totp, two-factor', 'second factor'],
  ['sdk, library, langchain, cursor, cline, ide, editor', 'sdks, clients'],
  ['switch, openrouter, litellm, migration', 'move, migrate'],
  ['start, begin, tutorial, getting started, first request', 'quickstart'],
  ['callback, hook, notification, events', 'webhooks'],
  ['duplicate, idempotency, idempotent, retry', 'retries'],
  ['register, sign up, signup, account', 'account'],
  ['delete account, close account', 'delete your account']
]

const split = (words: string): string[] => words.split(', ')

/** Our words for each word or phrase that people type. */
const oursOf: ReadonlyMap<string, readonly string[]> = new Map(
  table.flatMap(([typed, ours]) =>
    split(typed).map((word) => [word, split(ours).filter((one) => one !== word)] as const)
  )
)

/** The words of our pages for what somebody types. Empty if there are no others. */
export const synonymsOf = (typed: string): readonly string[] => oursOf.get(typed) ?? []

/** All single words and phrases that have synonyms. */
export const wordsWithSynonyms: readonly string[] = [...oursOf.keys()]

/** Words that say nothing about what is looked for. */
export const emptyWords: ReadonlySet<string> = new Set(
  'a an and are there can do does for get how i in is it my of on or the to what when where which with you your'.split(
    ' '
  )
)
