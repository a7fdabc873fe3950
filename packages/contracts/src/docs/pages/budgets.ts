import type { DocsPage } from '../docs-facts.ts'

export const budgets: DocsPage = {
  title: 'Budgets',
  summary: 'How spend is reserved, charged and capped.',
  write: ({ publicUrl }) => `
**Caps hold.** Before a request starts, its maximum cost is reserved. When it ends, only the actual cost is charged. So no key and no account
can spend more than its budget, with any number of concurrent requests.

- The account has a budget for each calendar month (UTC). The owner can set a [lower one](${publicUrl}/dashboard/billing).
- An e-mail address has one free budget. If several accounts have the address, also with another \`+tag\`, the oldest has it. What a deleted
  account spent this month is gone from it.
- Each key can have a [monthly budget](${publicUrl}/dashboard/keys) of its own.
- Each plan has a maximum cost of a single request.

If the budget has less left than a request may cost, its output limit is lowered. The header \`x-tollgate-granted-output-tokens\` has the
limit. If even a short answer could cost too much, the request gets 402:

| code | the budget |
| --- | --- |
| \`request_budget_exceeded\` | of a single request |
| \`key_budget_exceeded\` | of the key for the month |
| \`monthly_budget_exceeded\` | of the account for the month |
| \`free_budget_elsewhere\` | free, which another account with your e-mail address has |

Such an error has \`limit_usd\`, \`spent_usd\`, \`reserved_usd\`, \`needed_usd\` and \`resets_at\`.

What all free accounts together may cost in a day can have a limit, too. Once it is reached, requests of free accounts get 402
\`free_spend_exhausted\` until midnight (UTC), with \`resets_at\` and \`Retry-After\`. Paid plans, and models that cost nothing, go on.

| header | on | says |
| --- | --- | --- |
| \`x-tollgate-cost\` | answers that are not streams | the dollars that the request is charged |
| \`x-tollgate-budget-remaining\` | answers to admitted requests | the dollars left for the month before this request, without what other requests reserve |

For the cost of a stream, send the request header \`x-tollgate-cost: true\`. The stream then ends with a comment that has the cost.

A key that refuses requests says so in the dashboard, with the smallest refused request. You get a mail, a notice and a webhook
(\`requests.refused\`) once a day, and when it ends.

You get a mail, a notice and a [webhook](${publicUrl}/dashboard/webhooks) when a share of a budget is spent. The owner chooses the
[thresholds](${publicUrl}/dashboard/account).
`
}
