/** A key of the demo account, and its app's daily requests. */
export interface DemoKey {
  readonly label: string
  readonly monthlyBudgetUsd: number | null
  readonly requestsPerMinute: number | null
  /** Further members of a new key. */
  readonly limits?: { readonly tokens_per_minute?: number; readonly concurrent_requests?: number }
  /** Besides the one of the month. */
  readonly moreBudgets?: ReadonlyArray<{ readonly window: 'day' | 'week'; readonly limit_usd: number }>
  readonly metadata: Readonly<Record<string, string>>
  /** How many days ago its usage begins, and the time of that day (UTC). */
  readonly firstUsed: { readonly daysAgo: number; readonly time: string }
  /** The first model gets three of four requests, the last the others. */
  readonly models: readonly string[]
  readonly requestsPerDay: number
  /** The requests of a weekend day divided by those of a weekday. */
  readonly weekendShare: number
  /** Whether all requests come at night, as from a nightly job. */
  readonly isNightly: boolean
  /** The averages of a request. */
  readonly promptTokens: number
  readonly completionTokens: number
}

/** One key fewer than the plan pro allows, so that `npm start`'s first commands can still create one. */
export const demoKeys: readonly DemoKey[] = [
  {
    label: 'Support chat',
    monthlyBudgetUsd: 60,
    requestsPerMinute: 200,
    limits: { tokens_per_minute: 400_000 },
    moreBudgets: [{ window: 'week', limit_usd: 25 }],
    metadata: { team: 'support' },
    firstUsed: { daysAgo: 62, time: '08:47:12' },
    models: ['gpt-5-mini', 'gpt-4o'],
    requestsPerDay: 330,
    weekendShare: 0.45,
    isNightly: false,
    promptTokens: 2600,
    completionTokens: 420
  },
  {
    label: 'Website search',
    monthlyBudgetUsd: 5,
    requestsPerMinute: null,
    metadata: { team: 'web' },
    firstUsed: { daysAgo: 58, time: '13:05:41' },
    models: ['text-embedding-3-small'],
    requestsPerDay: 130,
    weekendShare: 0.8,
    isNightly: false,
    promptTokens: 700,
    completionTokens: 0
  },
  {
    label: 'Nightly reports',
    monthlyBudgetUsd: 30,
    requestsPerMinute: 20,
    metadata: { team: 'data' },
    firstUsed: { daysAgo: 51, time: '09:32:20' },
    models: ['gpt-5', 'gpt-5-mini'],
    requestsPerDay: 95,
    weekendShare: 0.3,
    isNightly: true,
    promptTokens: 5200,
    completionTokens: 1300
  },
  {
    label: 'Staging',
    monthlyBudgetUsd: 2,
    requestsPerMinute: 60,
    limits: { concurrent_requests: 4 },
    moreBudgets: [{ window: 'day', limit_usd: 1 }],
    metadata: { team: 'web', stage: 'test' },
    firstUsed: { daysAgo: 44, time: '15:18:03' },
    models: ['gpt-5-nano', 'gpt-4o-mini'],
    requestsPerDay: 60,
    weekendShare: 0.1,
    isNightly: false,
    promptTokens: 1100,
    completionTokens: 350
  }
]

/** Budgets of the demo account, besides that of the month. */
export const accountBudgets = [
  { of: 'account', window: 'day', limit_usd: 10 },
  { of: 'account', window: 'week', limit_usd: 40 }
] as const
